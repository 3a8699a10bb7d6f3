import { findCondition } from "../../../language/object/condition.ts";
import type { PoolReport } from "../../hosted/handover/pool-report.ts";
import { printable } from "../../rollout/node-annotations.ts";
import type { PoolState, PoolView } from "../../rollout/view/pool-view.ts";
import type { Waiting } from "../../rollout/waiting.ts";
import type { NodePool } from "../api.ts";
import { appliedCondition } from "../conditions.ts";
import { pauseOf } from "../pause.ts";

const longestText = 500;

/** How the rollout of a NodePool goes, by the words of both sides: for those who cannot see the hosted cluster. */
export function nodePoolView(nodePool: NodePool, report: PoolReport | undefined, now: number): PoolView {
  const { status, spec } = nodePool;
  const nodes = report?.counts.total ?? status?.replicas ?? spec?.replicas ?? 0;
  const isUpdating = findCondition(status?.conditions, "UpdatingConfig")?.status === "True";
  const updated = report && isUpdating ? report.counts.updated : isUpdating ? 0 : nodes;
  const waits = [...nodePoolWaits(nodePool), ...(isUpdating ? (report?.waiting ?? []) : [])];
  const failed = report?.counts.degraded ?? 0;
  return {
    state: stateOf({ isPaused: pauseOf(nodePool, now).isPaused, isUpdating, failed, waits }),
    target: report?.target ?? "",
    nodes,
    updated,
    unavailable: report?.counts.unavailable ?? 0,
    failed,
    inUse: 0,
    active: [],
    activeCount: 0,
    next: [],
    nextCount: 0,
    held: (report?.degraded ?? []).map(({ node, reason }) => ({
      node,
      because: printable(`failed: ${reason}`, longestText),
      command: "",
    })),
    heldCount: report?.degraded.length ?? 0,
    waits: waits.map(({ reason, message }) => ({ reason, message: printable(message, longestText) })),
  };
}

/** What the management side finds wrong. */
export function nodePoolWaits({ status }: NodePool): Waiting[] {
  return ["ValidTuningConfig", "ValidMachineConfig", appliedCondition].flatMap((type) => {
    const found = findCondition(status?.conditions, type);
    // While nodes are updated, the profile is not applied yet.
    const isUpdate = found?.reason === "UpdatingConfig";
    return found?.status === "False" && !isUpdate ? [{ reason: type, message: found.message || found.reason }] : [];
  });
}

interface Facts {
  readonly isPaused: boolean;
  readonly isUpdating: boolean;
  readonly failed: number;
  readonly waits: readonly Waiting[];
}

function stateOf({ isPaused, isUpdating, failed, waits }: Facts): PoolState {
  if (isPaused) return "paused";
  if (failed > 0 || waits.some(({ reason }) => reason.startsWith("Valid"))) return "stopped";
  if (waits.length > 0) return "waiting";
  return isUpdating ? "updating" : "updated";
}
