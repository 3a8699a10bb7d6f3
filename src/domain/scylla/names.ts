/** Labels and names that users, the operator, the agents of nodes and the gates of databases share. */

/** Of the DaemonSet, the Jobs and the ConfigMaps of a ScyllaNodeConfig: its name. */
export const nodeConfigLabel = "scylla-operator.scylladb.com/node-config-name";

/** Of a tuning Job: the node that it tunes. */
export const nodeLabel = "scylla-operator.scylladb.com/node-config-controller";

/**
 * Of a tuning Job that failed: why, with the end of its log. Its agent writes it, and the operator reports it in the conditions
 * of the ScyllaNodeConfig.
 */
export const failureAnnotation = "scylla-operator.scylladb.com/tuning-failure";

/** The ServiceAccount of agents. */
export const agentServiceAccount = "scylla-node-config";

/** The DaemonSet of a ScyllaNodeConfig's agents. */
export function agentDaemonSetName(config: string): string {
  return `scylla-agent-${config}`;
}

/** Where agents and tuning Jobs run. They are root on their nodes, so only administrators may write here. */
export const tuningNamespace = "scylla-operator-node-tuning";

/** The ScyllaNodeConfig and the ScyllaOperatorConfig that the operator creates. */
export const defaultName = "cluster";

/** The nodes of a ScyllaNodeConfig that names none. */
export const defaultNodeSelector = { "scylla-operator.scylladb.com/node-pool": "scylla" } as const;

/** The Scylla image with the script of the engine `perftune`, unless the ScyllaOperatorConfig names another. */
export const defaultUtilsImage = "scylladb/scylla:2025.1.5";

/** Of the ScyllaOperatorConfig: the operator has created the default ScyllaNodeConfig, and does not again if it is deleted. */
export const defaultsAnnotation = "scylla-operator.scylladb.com/default-node-config-created";

/** Of the ScyllaOperatorConfig: the image of gates, and since when. Only older pods restart to get it. */
export const gatesAnnotation = "scylla.attune.dev/gates-of-image";

/** The container with the database. */
export const databaseContainer = "scylla";

/** Where the database keeps its data, in its container. */
export const dataFolder = "/var/lib/scylla";

/** The ConfigMap in a pod's namespace that lets its database start. */
export function releaseName(podUid: string): string {
  return `perftune-${podUid}`;
}
