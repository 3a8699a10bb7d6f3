import type { Schema } from "../../../language/schema/schema.ts";

const text: Schema = { type: "string" };

function object(properties: Record<string, Schema>, ...required: string[]): Schema {
  return required.length > 0 ? { type: "object", properties, required } : { type: "object", properties };
}

/** Clients in Go write null for a list that is empty. */
function list(items: Schema): Schema {
  return { type: "array", items, nullable: true };
}

function requirement(...operators: string[]): Schema {
  return object({ key: text, operator: { type: "string", enum: operators }, values: list(text) }, "key", "operator");
}

const inSet = ["In", "NotIn", "Exists", "DoesNotExist"];
const nodeRequirement = requirement(...inSet, "Gt", "Lt");
const nodeTerm = object({ matchExpressions: list(nodeRequirement), matchFields: list(nodeRequirement) });

const labelSelector = object({
  matchLabels: { type: "object", additionalProperties: text },
  matchExpressions: list(requirement(...inSet)),
});

const podTerm = object(
  {
    labelSelector,
    matchLabelKeys: list(text),
    mismatchLabelKeys: list(text),
    namespaceSelector: labelSelector,
    namespaces: list(text),
    topologyKey: text,
  },
  "topologyKey",
);

const weight: Schema = { type: "integer", format: "int32" };

const podAffinity: Schema = {
  ...object({
    requiredDuringSchedulingIgnoredDuringExecution: list(podTerm),
    preferredDuringSchedulingIgnoredDuringExecution: list(
      object({ podAffinityTerm: podTerm, weight }, "podAffinityTerm", "weight"),
    ),
  }),
  description: "Passed on to the agents, for which it has no effect: there is one on every node.",
};

/** core/v1 Affinity. */
export const affinitySchema: Schema = {
  ...object({
    nodeAffinity: object({
      requiredDuringSchedulingIgnoredDuringExecution: object(
        { nodeSelectorTerms: list(nodeTerm) },
        "nodeSelectorTerms",
      ),
      preferredDuringSchedulingIgnoredDuringExecution: list(
        object({ preference: nodeTerm, weight }, "preference", "weight"),
      ),
    }),
    podAffinity,
    podAntiAffinity: podAffinity,
  }),
  nullable: true,
  description: "Required node affinity restricts the nodes further.",
};
