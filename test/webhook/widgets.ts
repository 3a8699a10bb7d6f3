import { untyped } from "../../src/cluster/kube/kinds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { ConversionHandler } from "../../src/program/webhook/handler.ts";

interface Size {
  size?: number;
}

const version = (name: string, storage: boolean, spec: object): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } } },
});

const size = { type: "integer" };

/** A kind with two versions that hold the same value in different fields. */
export const widgets = {
  v1: untyped("example.com/v1", "Widget", "widgets", true),
  v2: untyped("example.com/v2", "Widget", "widgets", true),

  definition: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com", labels: { "app.kubernetes.io/managed-by": "attune" } },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
      versions: [
        version("v1", true, { size }),
        version("v2", false, { dimensions: { type: "object", properties: { size } } }),
      ],
    },
  } as KubeObject,

  object: (name: string, spec: Size): KubeObject => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name },
    spec,
  }),

  handler: {
    definition: "widgets.example.com",
    convert({ spec = {}, ...rest }, apiVersion) {
      if (apiVersion === "example.com/v2") return { ...rest, spec: { dimensions: spec } };
      return { ...rest, spec: (spec as { dimensions?: Size }).dimensions ?? {} };
    },
  } as ConversionHandler,
};
