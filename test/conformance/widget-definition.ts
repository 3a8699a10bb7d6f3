const spec = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "string", description: "How large it is.", enum: ["small", "large"] },
    replicas: { type: "integer", format: "int32", minimum: 0, maximum: 10, default: 1 },
    price: { type: "string", pattern: "^[0-9]+\\.[0-9]{2}$", maxLength: 8 },
    port: { "x-kubernetes-int-or-string": true },
    extra: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    parts: {
      type: "array",
      maxItems: 3,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string" },
          colour: { type: "string", default: "grey" },
          count: { type: "integer" },
        },
      },
    },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
  },
};

const status = {
  type: "object",
  properties: {
    replicas: { type: "integer" },
    selector: { type: "string" },
    phase: { type: "string" },
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: {
        type: "object",
        required: ["type", "status"],
        properties: { type: { type: "string" }, status: { type: "string" }, reason: { type: "string" } },
      },
    },
  },
};

/** A kind with every feature that kubectl shows: columns, status, scale, defaults, two versions. */
export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.shop.example" },
  spec: {
    group: "shop.example",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"], categories: ["shop"] },
    versions: [version("v1", { storage: true }), version("v1beta1", { storage: false })],
  },
};

export function widget(name: string, spec: Record<string, unknown>, metadata: Record<string, unknown> = {}): string {
  return JSON.stringify({ apiVersion: "shop.example/v1", kind: "Widget", metadata: { name, ...metadata }, spec });
}

function version(name: string, { storage }: { storage: boolean }): Record<string, unknown> {
  return {
    name,
    served: true,
    storage,
    ...(storage ? {} : { deprecated: true, deprecationWarning: "shop.example/v1beta1 Widget is old; use v1" }),
    schema: {
      openAPIV3Schema: {
        type: "object",
        required: ["spec"],
        description: "What the shop sells.",
        properties: { spec, status },
      },
    },
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
    additionalPrinterColumns: [
      { name: "Size", type: "string", jsonPath: ".spec.size" },
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Colour", type: "string", jsonPath: ".spec.parts[0].colour", priority: 1 },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  };
}
