/** Files in which CRI-O and the kubelet read the CPUs of pods of the platform. */
export const pinningPaths = {
  /** Read before the other one, which comes from a PerformanceProfile. */
  crioDefault: "/etc/crio/crio.conf.d/01-workload-pinning-default.conf",
  crio: "/etc/crio/crio.conf.d/99-workload-pinning.conf",
  /** The kubelet treats the node as partitioned if this file exists, whatever its content. */
  kubelet: "/etc/kubernetes/openshift-workload-pinning",
} as const;

/** The class of workloads that is pinned. */
const workload = "management";

/** CRI-O's table. An empty set means all CPUs. */
export function crioPinning(cpuset: string): string {
  // Every JSON string is a TOML string. CRI-O rejects a table without `cpushares`; 0 is its default.
  return `
[crio.runtime.workloads.${workload}]
activation_annotation = "target.workload.openshift.io/${workload}"
annotation_prefix = "resources.workload.openshift.io"
resources = { "cpushares" = 0, "cpuset" = ${JSON.stringify(cpuset)} }
`;
}

export function kubeletPinning(cpuset: string): string {
  return `\n${JSON.stringify({ [workload]: { cpuset } }, undefined, 2)}\n`;
}
