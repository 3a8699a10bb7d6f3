import {
  asksForDrain,
  drainRequest,
  type NodeUpdate,
  uncordonRequest,
} from "../../../domain/rollout/node-annotations.ts";
import type { KeptConfig, PendingConfig } from "./config-store.ts";

export interface PhaseInput {
  readonly update: NodeUpdate;
  readonly current: KeptConfig | undefined;
  readonly pending: PendingConfig | undefined;
  readonly bootId: string;
}

/** Where a node is on its way to the desired config. */
export type UpdatePhase =
  /** No config is assigned to it. */
  | "unmanaged"
  /** It has the desired config. */
  | "settled"
  /** The desired config must be applied, from the beginning or after a crash. */
  | "apply"
  /** Everything is applied, and the boot that brings it into force has not come yet. */
  | "boot"
  /** It was booted, and what was applied is to be verified. */
  | "verify"
  /** The desired config failed too often. */
  | "given up"
  /** The Node says that it has the desired config, and the node has none. */
  | "lost";

/** A config that fails twice on a node fails a third time, and every attempt costs the node a drain. */
export const mostFailures = 2;

export function phaseOf({ update, current, pending, bootId }: PhaseInput): UpdatePhase {
  const { desired } = update;
  if (desired === "") return "unmanaged";
  if (!current && !pending && isReportedDone(update)) return "lost";
  if (pending?.name === desired) {
    if (pending.failures >= mostFailures) return "given up";
    if (pending.stage !== "booting") return "apply";
    return pending.bootId === bootId ? "boot" : "verify";
  }
  const isUntouched = !pending || pending.stage === "rolled back";
  return current?.name === desired && isUntouched ? "settled" : "apply";
}

/** Such a node uses no budget. Several that began at once would all be drained at once. */
function isReportedDone({ current, desired, state }: NodeUpdate): boolean {
  return current === desired && (state === "Done" || state === "Lost");
}

/** Whether the operator has drained the node for this config. */
export function isDrained({ desired, desiredDrain, lastAppliedDrain }: NodeUpdate): boolean {
  return desiredDrain === drainRequest(desired) && lastAppliedDrain === desiredDrain;
}

/** What a node that has the desired config asks for. */
export function settlement(update: NodeUpdate): "uncordon" | "wait" | "done" {
  const { desired, desiredDrain, lastAppliedDrain } = update;
  const uncordon = uncordonRequest(desired);
  // A request about another config that the operator has not answered, and will not: a user wrote it.
  const isForeign = desiredDrain !== uncordon && desiredDrain !== lastAppliedDrain;
  if (asksForDrain(update) || isForeign) return "uncordon";
  return desiredDrain === uncordon && lastAppliedDrain !== uncordon ? "wait" : "done";
}
