import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import { systemNamespace } from "../../../src/program/operator/names.ts";
import { eventually } from "./eventually.ts";
import type { RealCluster } from "./real-cluster.ts";

export const parts = ["operator", "webhook", "agent"] as const;
export type Part = (typeof parts)[number];

export interface Pod extends KubeObject {
  status?: {
    phase?: string;
    qosClass?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { containerID?: string; restartCount: number; ready: boolean; state?: object }[];
  };
}

/** The pods of one part of Attune that are not being deleted. */
export async function podsOf(cluster: RealCluster, part: Part): Promise<Pod[]> {
  const namespace = part === "agent" ? tuningNamespace : systemNamespace;
  const selector = encodeURIComponent(`app.kubernetes.io/name=attune-${part}`);
  const pods = await cluster.api.list<Pod>(`/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

/** Waits until a part has `count` ready pods, and returns them. */
export function readyPods(cluster: RealCluster, part: Part, count: number): Promise<Pod[]> {
  return eventually(120, `${count} ready pods of the ${part}`, async () => {
    const pods = await podsOf(cluster, part);
    return pods.length === count && pods.every(isReady) && pods;
  });
}

/** The control group of the pod's container, below each hierarchy. */
function groupOf({ metadata, status }: Pod): string {
  const quality = status?.qosClass === "Guaranteed" ? "" : `${status?.qosClass?.toLowerCase()}/`;
  const [container] = status?.containerStatuses ?? [];
  return `kubepods/${quality}pod${metadata.uid}/${container?.containerID?.replace(/^.*\/\//, "")}`;
}

/** A file of the container's control group, such as `memory/memory.usage_in_bytes`. */
export function groupFile(cluster: RealCluster, pod: Pod, file: string): string {
  const [hierarchy = "", name = ""] = file.split("/");
  const path = join("/sys/fs/cgroup", hierarchy, groupOf(pod), name);
  return readFileSync(cluster.machine.outside(path), "utf8").trim();
}

/** Process ids of the container, inside the machine. */
export function processesOf(cluster: RealCluster, pod: Pod): number[] {
  // Read inside: the kernel translates process ids for the namespace of the reader.
  return cluster.machine
    .run("cat", join("/sys/fs/cgroup/memory", groupOf(pod), "cgroup.procs"))
    .split("\n")
    .map(Number);
}
