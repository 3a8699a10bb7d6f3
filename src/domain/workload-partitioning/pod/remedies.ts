import type { WarningCode } from "../admission.ts";
import { allowedAnnotation } from "../names.ts";

/** Where the namespace was without its list when the pod was created. */
export const annotatedSince = "create the pod anew: its namespace has been annotated since";

/** What a user can do about instructions that were ignored. A pod is judged when it is created: all end with a new pod. */
export const remedies: Readonly<Record<WarningCode, (namespace: string) => string>> = {
  "partitioning-off": () =>
    "remove the target annotation: whether a cluster is partitioned is decided when it is installed",
  "ns-not-annotated": (namespace) =>
    `kubectl annotate namespace ${namespace} ${allowedAnnotation}=management, then create the pod anew`,
  "qos-guaranteed": () => "remove the target annotation, or the limits of the pod, which make it Guaranteed",
  "qos-would-change": () => "give a container a memory request, and create the pod anew",
  "cpu-limit-and-request": () => "remove the CPU limit of that container, and create the pod anew",
  "pod-level-cpu": () => "move CPU from spec.resources to the containers, and create the pod anew",
  "node-without-cores": () => "partition the node first (docs/workload-partitioning.md), then create the pod anew",
  "cpu-out-of-range": () => "correct the amounts of that container, and create the pod anew",
  "annotations-too-large": () => "shorten annotations of the pod, and create it anew",
};
