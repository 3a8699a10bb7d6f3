import type { Review } from "../admission.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type ReleaseName, releases } from "../release.ts";
import type { PartitioningView } from "../view.ts";

/** A partitioned cluster of several nodes, and a namespace whose pods may run on reserved CPUs. */
export const partitioned: PartitioningView = {
  ready: true,
  identifier: {
    state: "known",
    mode: "AllNodes",
    controlPlaneTopology: "HighlyAvailable",
    infrastructureTopology: "HighlyAvailable",
  },
  coresFrom: "kubelet",
  nodes: [],
  namespace: { type: "found", name: "some", annotations: { "workload.openshift.io/allowed": "management" } },
};

/** A pod that asks for reserved CPUs, with the given containers. */
export function askingPod(containers: readonly object[], annotations: object = {}, spec: object = {}): KubeObject {
  const target = { "target.workload.openshift.io/management": '{"effect":"PreferredDuringScheduling"}' };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "some", annotations: { ...target, ...annotations } },
    spec: { containers, ...spec },
  };
}

export function reviewOf(object: KubeObject, release: ReleaseName = "documented", more: Partial<Review> = {}): Review {
  const common = { operation: "CREATE", subresource: "", user: {}, view: partitioned };
  return { ...common, object, release: releases[release], ...more };
}
