import { group } from "../../hosted/protocol.ts";
import type { PoolReport } from "../../hosted/handover/pool-report.ts";
import type { Target } from "../../hosted/handover/pool-order.ts";
import type { NodePool } from "../api.ts";
import type { Outcome } from "../conditions.ts";

/** On a NodePool: what all of its nodes have had. */
export const currentAnnotations = {
  withoutVersion: `${group}/nodePoolCurrentConfig`,
  full: `${group}/nodePoolCurrentConfigVersion`,
} as const;

/** How an update in place goes. */
export interface Progress {
  readonly failed: boolean;
  readonly message: string;
}

export interface UpdatingInput {
  readonly nodePool: NodePool;
  readonly target: Target;
  /** Whether all nodes have the target now. */
  readonly isComplete: boolean;
  /** InPlace only. */
  readonly progress?: Progress | undefined;
}

export interface Updating {
  readonly outcomes: readonly Outcome[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly version: string | undefined;
}

/** `UpdatingConfig` and `UpdatingVersion`, and what is noted when an update is finished. */
export function updatingOf({ nodePool, target, isComplete, progress }: UpdatingInput): Updating {
  const { metadata, status } = nodePool;
  const noted = metadata.annotations?.[currentAnnotations.withoutVersion];
  const outcome = (type: string, isPending: boolean, message: string): Outcome => {
    if (!isPending) return { type, status: "False", reason: "AsExpected", message: "" };
    if (!progress) return { type, status: "True", reason: "AsExpected", message };
    const { failed } = progress;
    const reason = failed ? "InplaceUpgradeFailed" : "AsExpected";
    return { type, status: failed ? "False" : "True", reason, message: progress.message };
  };
  const isConfigPending = !isComplete && noted !== target.withoutVersion;
  const hasVersion = target.version !== "";
  const isVersionPending = !isComplete && hasVersion && status?.version !== target.version;
  return {
    outcomes: [
      outcome(
        "UpdatingConfig",
        isConfigPending,
        `Updating config in progress. Target config: ${target.withoutVersion}`,
      ),
      outcome("UpdatingVersion", isVersionPending, `Updating version in progress. Target version: ${target.version}`),
    ],
    annotations: isComplete
      ? { [currentAnnotations.withoutVersion]: target.withoutVersion, [currentAnnotations.full]: target.full }
      : {},
    version: isComplete && hasVersion ? target.version : status?.version,
  };
}

/** In the words of HyperShift, and what the rollout waits for. Undefined: the operator says nothing of this target yet. */
export function progressOf(target: string, report: PoolReport | undefined): Progress | undefined {
  if (report?.target !== target) return undefined;
  const { counts, degraded, waiting, problems } = report;
  const [failed] = degraded;
  if (problems.length > 0) return { failed: true, message: problems.join("; ") };
  if (failed) {
    const more = counts.degraded > 1 ? ` (and ${counts.degraded - 1} more nodes)` : "";
    return { failed: true, message: `Node ${failed.node} in nodepool degraded: ${failed.reason}${more}` };
  }
  const state = `Nodepool update in progress. Target Config version: ${target}. Total Nodes: ${counts.total}. Upgraded: ${counts.updated}`;
  return { failed: false, message: [state, ...waiting.map(({ message }) => message)].join(". ") };
}

/** Whether every node has the target. Nodes that are not there have nothing. */
export function isFinished({ spec, metadata }: NodePool, target: string, report: PoolReport | undefined): boolean {
  if (report?.target !== target || report.current !== target) return false;
  const isNew = metadata.annotations?.[currentAnnotations.full] === undefined;
  return report.counts.total > 0 || isNew || (spec?.replicas ?? 0) === 0;
}
