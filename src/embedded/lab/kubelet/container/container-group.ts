import type { Container } from "kubernetes-types/core/v1.js";
import { type CpuSet, difference, formatRanges } from "../../../../language/cpu/cpu-set.ts";
import { cpuQuota, cpuShares, millicores } from "../../../../language/cpu/shares.ts";
import { type ContainerGroup, groupFiles, groupPath } from "../../crio/control-groups.ts";
import type { CrioConfig } from "../../crio/crio-config.ts";
import {
  activeWorkload,
  type ContainerResources,
  type CpuResources,
  noResources,
  resourcesOf,
} from "../../crio/workload.ts";
import { coresOf } from "../node/kubelet-settings.ts";
import { isManaged } from "../node/partitioned-node.ts";
import type { VirtualNode } from "../node/virtual-node.ts";
import type { Pod } from "../pod/pod-admission.ts";

export interface GroupInput {
  readonly pod: Pod;
  readonly node: VirtualNode;
}

/** What the runtime sets for a container, and the CPUs of the machine. */
export interface ContainerCpu {
  readonly resources: CpuResources;
  readonly online: string;
}

export type CpuOfContainer =
  | { readonly type: "cpu"; readonly cpu: ContainerCpu | undefined }
  | { readonly type: "error"; readonly message: string };

/** Undefined where containers have no control groups here: with containerd, unless the CPU manager gives them CPUs. */
export async function cpuOf({ pod, node }: GroupInput, container: Container | "sandbox"): Promise<CpuOfContainer> {
  const crio = await node.crio();
  if (!crio && (container === "sandbox" || !node.kubelet?.sharedPool)) return { type: "cpu", cpu: undefined };
  if (crio?.type === "failed") return { type: "error", message: `CRI-O does not run: ${crio.message}` };
  const config = crio?.config;
  const found: ContainerResources =
    container === "sandbox"
      ? { type: "resources", resources: { ...noResources, shares: 2, cpus: config?.infraCpus ?? "" } }
      : resourcesIn({ pod, node }, container, config);
  if (found.type === "error") return found;
  const online = await node.host.read("/sys/devices/system/cpu/online");
  return { type: "cpu", cpu: { resources: found.resources, online: online.type === "text" ? online.text.trim() : "" } };
}

/** The CPUs, shares and quota of a container: those of its resources, over them those of its workload. */
function resourcesIn(
  { pod, node }: GroupInput,
  container: Container,
  crio: CrioConfig | undefined,
): ContainerResources {
  const annotations = pod.metadata.annotations ?? {};
  const workload = crio && activeWorkload(crio.workloads.values(), annotations);
  // The CPU manager of a partitioned node leaves managed pods to CRI-O.
  const pool = node.kubelet?.partitioned && isManaged(annotations) ? undefined : node.kubelet?.sharedPool;
  const { requests, limits } = container.resources ?? {};
  const own: CpuResources = {
    shares: Number(cpuShares(millicores(requests?.["cpu"] ?? limits?.["cpu"] ?? "0"))),
    quota: Number(cpuQuota(millicores(limits?.["cpu"] ?? "0"))),
    period: 0,
    cpus: pool
      ? formatRanges(exclusiveCpus({ pod, node }, container, pool) ?? difference(pool, node.exclusiveCpus.all))
      : "",
  };
  if (!workload) return { type: "resources", resources: own };
  const found = resourcesOf(workload, container.name, annotations);
  return found.type === "error" ? found : { type: "resources", resources: overlaid(own, found.resources) };
}

/** Of a container with a whole number of CPUs in a Guaranteed pod, where the kubelet's CPU manager has the static policy. */
function exclusiveCpus({ pod, node }: GroupInput, { name, resources }: Container, pool: CpuSet): CpuSet | undefined {
  const milli = millicores(resources?.limits?.["cpu"] ?? "0");
  if (pod.status?.qosClass !== "Guaranteed" || milli === 0n || milli % 1000n !== 0n) return undefined;
  const offered = { cores: coresOf(node.options.topology), pool: difference(pool, node.kubelet?.reservedCpus ?? []) };
  return node.exclusiveCpus.assign(`${pod.metadata.uid}/${name}`, Number(milli / 1000n), offered);
}

function overlaid(own: CpuResources, over: CpuResources): CpuResources {
  return {
    shares: over.shares || own.shares,
    quota: over.quota || own.quota,
    period: over.period || own.period,
    cpus: over.cpus || own.cpus,
  };
}

/** Where the control group of a container is. */
export function groupOf({ pod, node }: GroupInput, containerId: string): string {
  const qos = (pod.status?.qosClass ?? "BestEffort") as ContainerGroup["qos"];
  const { runtime = "containerd" } = node.options.topology;
  return groupPath({ podUid: pod.metadata.uid ?? "", qos, containerId, runtime });
}

/** Writes the control group of a container. Returns what removes it. */
export function createGroup({ pod, node }: GroupInput, id: string, { resources, online }: ContainerCpu): () => void {
  const path = groupOf({ pod, node }, id);
  const files = groupFiles(path, resources, online);
  for (const [file, text] of files) node.host.put(file, text);
  return () => {
    for (const [file] of files) node.host.put(file, undefined);
  };
}
