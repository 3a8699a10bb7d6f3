import type { KubeObject } from "./meta.ts";

/** A permission of a ServiceAccount, and the reason for it. */
export interface Grant {
  /** The namespace; absent: the whole cluster. */
  readonly within?: string;
  readonly because: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

const apiVersion = "rbac.authorization.k8s.io/v1";
const labels = { "app.kubernetes.io/part-of": "attune" };

/** The ServiceAccount with a role and a binding for each namespace, and for the cluster. */
export function rbacObjects(name: string, account: Account, grants: readonly Grant[]): KubeObject[] {
  const places = [...new Set(grants.map(({ within }) => within))];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...account, labels } },
    ...places.flatMap((namespace) => {
      const kind = namespace === undefined ? "ClusterRole" : "Role";
      const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels };
      const rules = grants.filter(({ within }) => within === namespace).map(ruleOf);
      return [
        { apiVersion, kind, metadata, rules },
        {
          apiVersion,
          kind: `${kind}Binding`,
          metadata,
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
          subjects: [{ kind: "ServiceAccount", name: account.name, namespace: account.namespace }],
        },
      ];
    }),
  ];
}

export function ruleOf({ apiGroups, resources, resourceNames, verbs }: Grant): object {
  return { apiGroups, resources, ...(resourceNames ? { resourceNames } : {}), verbs };
}
