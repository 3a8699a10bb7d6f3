import { group } from "../../../domain/scylla/api.ts";
import { gateGrants } from "../../../domain/scylla/gate/gate-grants.ts";
import { scyllaAgentGrants } from "../../../domain/scylla/on-node/agent-grants.ts";
import { agentServiceAccount, tuningNamespace } from "../../../domain/scylla/names.ts";
import type { Grant } from "../../../language/object/grant.ts";

const read = ["list", "watch"];
const rbac = ["rbac.authorization.k8s.io"];
const resourceNames = [agentServiceAccount];

/** Rights of the operator for Scylla node tuning, on top of its others. */
const ownGrants: readonly Grant[] = [
  {
    because: "which nodes have agents, and the image with Scylla's scripts; creates the default objects",
    apiGroups: [group],
    resources: ["scyllanodeconfigs", "scyllaoperatorconfigs"],
    verbs: [...read, "create"],
  },
  {
    because:
      "notes on it that the default ScyllaNodeConfig was created, and since when databases get the gate of this version",
    apiGroups: [group],
    resources: ["scyllaoperatorconfigs"],
    verbs: ["patch"],
  },
  {
    because: "the DaemonSet of agents names its config as its owner, and blocks its deletion",
    apiGroups: [group],
    resources: ["scyllanodeconfigs/finalizers"],
    verbs: ["update"],
  },
  {
    because: "the databases, of which each may start once it is clear that no agent tunes for it",
    apiGroups: [""],
    resources: ["pods"],
    verbs: read,
  },
  {
    because: "lets such a database start, by a ConfigMap in its namespace; a policy restricts it to these names",
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: ["create", "patch"],
  },
  {
    because:
      "whether all databases of a namespace are ready, before one of them restarts to get the gate of this version",
    apiGroups: ["apps"],
    resources: ["statefulsets"],
    verbs: ["list"],
  },
  {
    because: "restarts a database to get the gate of this version, as its PodDisruptionBudget allows",
    apiGroups: [""],
    resources: ["pods/eviction"],
    verbs: ["create"],
  },
  {
    because: "how far the agents of a config are",
    apiGroups: [group],
    resources: ["scyllanodeconfigs/status"],
    verbs: ["patch"],
  },
  {
    because: "the namespace of agents and tuning Jobs: whether it exists, and that privileged pods are allowed there",
    apiGroups: [""],
    resources: ["namespaces"],
    resourceNames: [tuningNamespace],
    verbs: [...read, "patch"],
  },
  {
    because:
      "the role of agents; RBAC cannot limit create to a name, but lets the operator give no rights that it has not",
    apiGroups: rbac,
    resources: ["clusterroles", "clusterrolebindings"],
    verbs: ["create"],
  },
  {
    because: "repairs and deletes only the role of agents",
    apiGroups: rbac,
    resources: ["clusterroles", "clusterrolebindings"],
    resourceNames,
    verbs: [...read, "update", "delete"],
  },
  {
    within: tuningNamespace,
    because: "repairs and deletes only the role of agents",
    apiGroups: rbac,
    resources: ["roles", "rolebindings"],
    resourceNames,
    verbs: [...read, "update", "delete"],
  },
  {
    within: tuningNamespace,
    because: "the account of agents",
    apiGroups: [""],
    resources: ["serviceaccounts"],
    verbs: ["create"],
  },
  {
    within: tuningNamespace,
    because: "repairs and deletes only the account of agents",
    apiGroups: [""],
    resources: ["serviceaccounts"],
    resourceNames,
    verbs: [...read, "patch", "delete"],
  },
  {
    within: tuningNamespace,
    because: "the agents of each config",
    apiGroups: ["apps"],
    resources: ["daemonsets"],
    verbs: [...read, "create", "update", "patch", "delete"],
  },
  {
    within: tuningNamespace,
    because: "which nodes are tuned; deletes Jobs of nodes and configs that are gone",
    apiGroups: ["batch"],
    resources: ["jobs"],
    verbs: [...read, "delete"],
  },
  {
    within: tuningNamespace,
    because: "deletes what agents reported about nodes that are gone",
    apiGroups: [""],
    resources: ["configmaps"],
    verbs: ["delete"],
  },
];

/** All of it: the operator may give agents only rights that it has. */
export const scyllaGrants: readonly Grant[] = [
  ...ownGrants,
  ...gateGrants,
  ...scyllaAgentGrants.map((grant) => ({ ...grant, because: `passes this right on to agents: ${grant.because}` })),
];
