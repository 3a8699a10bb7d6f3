import type { KubeObject, ObjectMeta } from "./meta.ts";

export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly shortNames?: readonly string[];
  readonly versions: readonly object[];
}

/** The CRD of a kind of Attune. Its label marks the CRDs that `attune install` may update. */
export function customDefinition({ group, kind, plural, scope, shortNames = [], versions }: Definition): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels: { "app.kubernetes.io/managed-by": "attune" } },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length > 0 ? { shortNames } : {}),
      },
      versions,
    },
  };
}

/** Whether Attune created an object of a kind that others create too, by its label. */
export function isOurs({ labels = {} }: ObjectMeta): boolean {
  return ["app.kubernetes.io/managed-by", "app.kubernetes.io/part-of"].some((name) => labels[name] === "attune");
}
