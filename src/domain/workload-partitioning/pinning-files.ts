/** Where the container runtime and the kubelet read on which CPUs the platform's own pods run. */
export const pinningPaths = {
  /** Read before the other one, which a performance profile brings. */
  crioDefault: "/etc/crio/crio.conf.d/01-workload-pinning-default.conf",
  crio: "/etc/crio/crio.conf.d/99-workload-pinning.conf",
  /** The kubelet takes nodes for partitioned where this file is, whatever it says. */
  kubelet: "/etc/kubernetes/openshift-workload-pinning",
} as const;

/** The one kind of work that is kept apart. */
const workload = "management";

/** CRI-O's table. An empty set stands for all CPUs. */
export function crioPinning(cpuset: string): string {
  // A JSON string is a TOML string as well. CRI-O refuses a table without `cpushares`; none is its own default.
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
