/** The sidecar, and the volume that it shares with the database. */
export const gateName = "attune-scylla-gate";

/** Of the Roles and RoleBindings of gates. */
export const gateLabels = { "app.kubernetes.io/component": "scylla-gate" } as const;
export const gateSelector = "app.kubernetes.io/component=scylla-gate";

/** The volume with the sidecar's token: the pod may mount none. */
export const tokenVolume = `${gateName}-token`;

/** Where the database's container has the shared volume. */
export const gateFolder = `/${gateName}`;

/** Where the sidecar has it. */
export const sidecarFolder = `/run/${gateName}`;

/** Of a pod: the program of its image, where the database's container has only `args`. A path, or a JSON array of words. */
export const entrypointAnnotation = "scylla.attune.dev/entrypoint";

/** Of a pod: how long the database waits before it starts without tuning, such as `30m`. Default: for ever. */
export const timeoutAnnotation = "scylla.attune.dev/gate-timeout";

/** Of the ConfigMap that lets a database start: what became of its tuning. */
export const outcomeAnnotation = "scylla.attune.dev/outcome";

/** Of the shared volume: written by the wait of a container that started, and by the sidecar when it may go on. */
export const startPrefix = "start-";
export const openPrefix = "open-";
