import type { NodeCondition, Taint } from "kubernetes-types/core/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { findCondition } from "../../../../language/object/condition.ts";
import { formatTime } from "../../../../language/object/time.ts";
import type { Node } from "../workload-objects.ts";

const reportedByKubelets = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions of a silent node that are not Unknown yet. */
export function unknownConditions({ metadata, status }: Node, now: number): NodeCondition[] {
  return reportedByKubelets.flatMap((type) => {
    const known = findCondition(status?.conditions, type);
    if (known?.status === "Unknown") return [];
    const [reason, message] = known
      ? ["NodeStatusUnknown", "Kubelet stopped posting node status."]
      : ["NodeStatusNeverUpdated", "Kubelet never posted node status."];
    const lastHeartbeatTime = known?.lastHeartbeatTime ?? metadata.creationTimestamp ?? undefined;
    const lastTransitionTime = formatTime(now);
    return [omitUndefined({ type, status: "Unknown", reason, message, lastHeartbeatTime, lastTransitionTime })];
  });
}

const taintOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: "not-ready", Unknown: "unreachable" },
  MemoryPressure: { True: "memory-pressure" },
  DiskPressure: { True: "disk-pressure" },
  PIDPressure: { True: "pid-pressure" },
  NetworkUnavailable: { True: "network-unavailable" },
};
const prefix = "node.kubernetes.io/";
const managed = new Set([
  ...Object.values(taintOf).flatMap((byStatus) => Object.values(byStatus).map((name) => `${prefix}${name}`)),
  `${prefix}unschedulable`,
]);

/**
 * All taints of a node, where its conditions require a change: those that follow from the conditions, and those of other
 * clients. `evicts`: whether an unready node gets the NoExecute taint too.
 */
export function taintsByCondition(node: Node, { evicts, now }: { evicts: boolean; now: number }): Taint[] | undefined {
  const taints = node.spec?.taints ?? [];
  const wanted: Taint[] = [];
  for (const { type, status } of node.status?.conditions ?? []) {
    const name = taintOf[type]?.[status];
    if (name !== undefined) wanted.push({ key: `${prefix}${name}`, effect: "NoSchedule" });
  }
  if (node.spec?.unschedulable) wanted.push({ key: `${prefix}unschedulable`, effect: "NoSchedule" });
  const ready = findCondition(node.status?.conditions, "Ready");
  const evicting = ready && taintOf["Ready"]?.[ready.status];
  const existing = ({ key, effect }: Taint): Taint | undefined =>
    taints.find((taint) => taint.key === key && taint.effect === effect);
  if (evicting !== undefined) {
    const taint: Taint = { key: `${prefix}${evicting}`, effect: "NoExecute" };
    // A NoExecute taint that exists stays.
    if (evicts || existing(taint)) wanted.push(taint);
  }
  const others = taints.filter(({ key, effect }) => !managed.has(key) || effect === "PreferNoSchedule");
  const missing = wanted.filter((taint) => !existing(taint));
  if (missing.length === 0 && others.length + wanted.length === taints.length) return undefined;
  const timeAdded = formatTime(now);
  return [...others, ...wanted.map((taint) => existing(taint) ?? { ...taint, timeAdded })];
}

export function readiness(node: Node): string {
  return findCondition(node.status?.conditions, "Ready")?.status ?? "Unknown";
}
