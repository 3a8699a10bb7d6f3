import type { Schema } from "../../../language/schema/schema.ts";

const text: Schema = { type: "string" };
const texts: Schema = { type: "array", items: text };

function object(properties: Record<string, Schema>, ...required: string[]): Schema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

const labels: Schema = { type: "object", additionalProperties: text };
const selector = object({
  matchLabels: labels,
  matchExpressions: {
    type: "array",
    items: object({ key: text, operator: text, values: texts }, "key", "operator"),
  },
});

function asset(spec: Schema): Schema {
  return { type: "object", properties: { metadata: object({ labels, annotations: labels }), spec } };
}

/** Of kinds that others own: only what is read here, or goes into what is written. */
export const assetSchemas: Readonly<Record<string, Schema>> = {
  MachineConfigPool: asset(object({ nodeSelector: selector, machineConfigSelector: selector })),
  MachineConfig: asset(object({ kernelArguments: texts })),
};
