/** Labels and names that users, the operator, the agents of nodes and the gates of databases share. */

/** Of the DaemonSet, the Jobs and the ConfigMaps of a ScyllaNodeConfig: its name. */
export const nodeConfigLabel = "scylla-operator.scylladb.com/node-config-name";

/** Of a tuning Job: the node that it tunes. */
export const nodeLabel = "scylla-operator.scylladb.com/node-config-controller";

/** Where agents and tuning Jobs run. They are root on their nodes, so only administrators may write here. */
export const tuningNamespace = "scylla-operator-node-tuning";

/** The ScyllaNodeConfig and the ScyllaOperatorConfig that the operator creates. */
export const defaultName = "cluster";

/** The nodes of a ScyllaNodeConfig that names none. */
export const defaultNodeSelector = { "scylla-operator.scylladb.com/node-pool": "scylla" } as const;

/** The container with the database. */
export const databaseContainer = "scylla";

/** Where the database keeps its data, in its container. */
export const dataFolder = "/var/lib/scylla";

/** The ConfigMap in a pod's namespace that lets its database start. */
export function releaseName(podUid: string): string {
  return `perftune-${podUid}`;
}
