import type { ContainerRuntime } from "../topology.ts";
import type { CpuResources } from "./workload.ts";

type File = readonly [path: string, text: string];

const root = "/sys/fs/cgroup/kubepods.slice";
const defaultPeriod = 100_000;

export interface ContainerGroup {
  readonly podUid: string;
  readonly qos: "Guaranteed" | "Burstable" | "BestEffort";
  readonly containerId: string;
  readonly runtime: ContainerRuntime;
}

const scopes: Readonly<Record<ContainerRuntime, string>> = { containerd: "cri-containerd", "cri-o": "crio" };

/** The control group of a container as its runtime and systemd make it. */
export function groupPath({ podUid, qos, containerId, runtime }: ContainerGroup): string {
  const uid = podUid.replaceAll("-", "_");
  const kind = qos === "Guaranteed" ? "" : `-${qos.toLowerCase()}`;
  const parent = kind === "" ? root : `${root}/kubepods${kind}.slice`;
  return `${parent}/kubepods${kind}-pod${uid}.slice/${scopes[runtime]}-${containerId}.scope`;
}

/** The CPU files of version 2. `online` are the CPUs that a container without a set of its own may use. */
export function groupFiles(path: string, { shares, quota, period, cpus }: CpuResources, online: string): File[] {
  return [
    [`${path}/cpuset.cpus`, `${cpus}\n`],
    [`${path}/cpuset.cpus.effective`, `${cpus || online}\n`],
    [`${path}/cpu.weight`, `${weightOf(shares)}\n`],
    [`${path}/cpu.max`, `${quota > 0 ? quota : "max"} ${period || defaultPeriod}\n`],
  ];
}

/** The range of shares, 2 to 262144, on that of weights, 1 to 10000, as runtimes do. */
function weightOf(shares: number): number {
  return shares === 0 ? 100 : 1 + Math.floor(((shares - 2) * 9999) / 262142);
}
