import type { KubeObject } from "./meta.ts";

export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly shortNames?: readonly string[];
  readonly versions: readonly object[];
}

/** The definition of a kind that Attune brings. By its label others know whose it is: those of nobody or others are not touched. */
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
