import type { Schema } from "../schema/schema.ts";

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };

/**
 * How metadata merges, for schemas that leave it open, as those of custom resources and of objects embedded in others
 * do.
 */
export const objectMetaSchema: Schema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: "integer" },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer" },
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: { type: "boolean" },
          blockOwnerDeletion: { type: "boolean" },
        },
        "x-kubernetes-map-type": "atomic",
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
  },
};
