import type { kinds } from "../../../cluster/kube/kinds.ts";

type ObjectOf<K extends keyof typeof kinds> = NonNullable<(typeof kinds)[K]["object"]>;

export type Pod = ObjectOf<"pod">;
export type Node = ObjectOf<"node">;
export type Deployment = ObjectOf<"deployment">;
export type ReplicaSet = ObjectOf<"replicaSet">;
export type ReplicationController = ObjectOf<"replicationController">;
export type StatefulSet = ObjectOf<"statefulSet">;
export type DaemonSet = ObjectOf<"daemonSet">;
export type CronJob = ObjectOf<"cronJob">;
export type Job = ObjectOf<"job">;
export type ControllerRevision = ObjectOf<"controllerRevision">;
export type PersistentVolumeClaim = ObjectOf<"persistentVolumeClaim">;
export type PodDisruptionBudget = ObjectOf<"podDisruptionBudget">;
