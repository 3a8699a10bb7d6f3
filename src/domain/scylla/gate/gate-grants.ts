import type { Grant } from "../../../language/object/grant.ts";

const read = ["get", "list", "watch"];

/** What the operator needs to give gates their rights. */
export const gateGrants: readonly Grant[] = [
  {
    because:
      "the gate of each database may read its pod and its ConfigMap, by name; RBAC cannot limit create to a name, and no account can give rights that it lacks",
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "rolebindings"],
    verbs: ["create", "patch"],
  },
  {
    because: "whether the roles of gates are as they were made; it requests no other",
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "rolebindings"],
    verbs: ["list", "watch"],
  },
  {
    because: "pods of databases; and gates get this right, for one pod each",
    apiGroups: [""],
    resources: ["pods"],
    verbs: read,
  },
  {
    because: "gates get this right, for one ConfigMap each",
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: read,
  },
];
