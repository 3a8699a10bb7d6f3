import type { MachineContents } from "../machine-contents.ts";
import type { RuntimeFacts } from "./host-facts.ts";

/** By it a kubelet of OpenShift knows that its node is partitioned. */
export const pinningFile = "/etc/kubernetes/openshift-workload-pinning";

/** Why a host of a partitioned cluster is not partitioned: only CRI-O has workloads with CPUs of their own. */
export function refusedPartitioning({ files }: MachineContents, runtime: RuntimeFacts): string[] {
  if (runtime.type === "cri-o" || !files.some(({ path }) => path === pinningFile)) return [];
  const found = runtime.type === "containerd" ? "containerd" : "another container runtime";
  return [
    `CPU partitioning is refused: it needs CRI-O, and this node runs ${found}; pods that ask for it do not run here`,
  ];
}
