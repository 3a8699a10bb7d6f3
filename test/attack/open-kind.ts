/** A custom kind that keeps every field: the largest attack surface. */
export const openDefinition = {
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  body: definitionOf("opens", {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  }),
};

export const openObjects = "/apis/attack.io/v1/namespaces/default/opens";

/** A definition of `plural` (its kind is that, capitalised, without the s). `more` goes into its one version. */
export function definitionOf(plural: string, schema: unknown, more: object = {}): object {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.attack.io` },
    spec: {
      group: "attack.io",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
    },
  };
}
