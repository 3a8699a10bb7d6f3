import type { Schema } from "../../schema/schema.ts";

/** Small schemas for tests, with the keywords of the real ones. */
const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };

const keyed = (keys: string[], properties: Record<string, Schema>): Schema => ({
  type: "array",
  items: { type: "object", properties },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
});

export const configMapSchema: Schema = {
  type: "object",
  properties: { apiVersion: text, kind: text, metadata: { type: "object" }, data: texts },
  go: { name: "ConfigMap", always: { metadata: {} } },
};

const container: Record<string, Schema> = {
  name: text,
  image: text,
  args: { type: "array", items: text, "x-kubernetes-list-type": "atomic" },
  env: keyed(["name"], { name: text, value: text }),
  ports: keyed(["containerPort", "protocol"], {
    containerPort: { type: "integer" },
    protocol: { type: "string", default: "TCP" },
    name: text,
  }),
  resources: { type: "object", properties: { limits: texts } },
};

export const daemonSetSchema: Schema = {
  type: "object",
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { type: "object" },
    spec: {
      type: "object",
      properties: {
        selector: { type: "object", properties: { matchLabels: texts }, "x-kubernetes-map-type": "atomic" },
        template: {
          type: "object",
          properties: {
            metadata: { type: "object", properties: { labels: texts } },
            spec: {
              type: "object",
              properties: {
                containers: keyed(["name"], container),
                securityContext: { type: "object", properties: { runAsUser: { type: "integer" } } },
              },
              go: { always: { containers: null } },
            },
          },
          go: { always: { metadata: {}, spec: {} } },
        },
        updateStrategy: {
          type: "object",
          properties: { type: text, rollingUpdate: { type: "object", properties: { maxSurge: { type: "integer" } } } },
        },
      },
      go: { always: { selector: null, template: {}, updateStrategy: {} } },
    },
    status: {
      type: "object",
      properties: { currentNumberScheduled: { type: "integer" } },
      go: { always: { currentNumberScheduled: 0 } },
    },
  },
  go: { name: "DaemonSet", always: { metadata: {}, spec: {}, status: {} } },
};

export const customSchema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        level: { type: "integer" },
        items: keyed(["name"], { name: text, v: { type: "integer" } }),
        tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        args: { type: "array", items: text },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        whole: { type: "object", "x-kubernetes-map-type": "atomic", "x-kubernetes-preserve-unknown-fields": true },
        nul: { type: "string", nullable: true },
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
};
