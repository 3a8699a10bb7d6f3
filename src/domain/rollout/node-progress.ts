import { parseTime } from "../../language/object/time.ts";
import { asksForDrain, ownAnnotations, readObject } from "./node-annotations.ts";
import type { NodeState } from "./node-state.ts";

/** What a node that was told a config is doing. `Failed`: its agent says so, or nothing has happened for too long. */
export type Phase = "Told" | "Working" | "Draining" | "Rebooting" | "Failed";

/** Stored on the Node, so that deadlines and failures outlive the operator. */
export interface NodeProgress {
  readonly config: string;
  readonly phase: Phase;
  /** RFC 3339. */
  readonly since: string;
  /** How often the node failed on this config. */
  readonly failures: number;
  /** Of the last failure. */
  readonly reason?: string | undefined;
  /** The phase that lasted too long, where the operator and not the agent found the failure. */
  readonly stuckIn?: Phase | undefined;
  /** It has started with this config: what it does now is verify. */
  readonly booted?: true | undefined;
}

const minute = 60_000;

/** How long each phase may last without another following. */
export const deadlines: Readonly<Record<Exclude<Phase, "Failed">, number>> = {
  Told: 15 * minute,
  Working: 60 * minute,
  Draining: 60 * minute,
  Rebooting: 15 * minute,
};

/** A node that failed this often on a config is not asked again until the pool has another one. */
export const attempts = 2;

/** The kubelet of the node may write anything there: what no operator wrote counts as nothing, and the deadline starts again. */
function readProgress({ node }: NodeState): NodeProgress | undefined {
  const value = readObject(node.metadata.annotations?.[ownAnnotations.progress]);
  const { config, phase, since, failures, reason, stuckIn, booted } = value ?? {};
  if (typeof config !== "string" || !isPhase(phase)) return undefined;
  if (typeof since !== "string" || parseTime(since) === undefined) return undefined;
  if (typeof failures !== "number" || !Number.isInteger(failures) || failures < 0) return undefined;
  return {
    config,
    phase,
    since,
    failures,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(isPhase(stuckIn) ? { stuckIn } : {}),
    ...(booted === true ? { booted } : {}),
  };
}

function isPhase(value: unknown): value is Phase {
  return value === "Failed" || (typeof value === "string" && Object.hasOwn(deadlines, value));
}

/** The progress to store now; undefined if there is nothing to remember. `now` is RFC 3339. */
export function nextProgress(state: NodeState, target: string, now: string): NodeProgress | undefined {
  const before = readProgress(state);
  const { desired } = state.update;
  // Set back after its last attempt: that it failed must not be forgotten, or it would be asked again. One that was installed
  // anew has not failed.
  if (before && gaveUp(before, target) && desired !== target && !state.isUntouched) return before;
  if (state.isDone || desired === "") return undefined;
  const known = before?.config === desired ? before : undefined;
  const phase = phaseOf(state);
  const failures = known?.failures ?? 0;
  if (phase === "Failed") {
    const reason = state.update.reason || "its agent gives no reason";
    if (known?.phase === "Failed" && known.stuckIn === undefined && known.reason === reason) return known;
    const isNew = known?.phase !== "Failed";
    return {
      config: desired,
      phase,
      since: isNew ? now : known.since,
      failures: isNew ? failures + 1 : failures,
      reason,
    };
  }
  if (!known) return { config: desired, phase, since: now, failures };
  if (known.phase === "Failed")
    return known.stuckIn === phase ? known : { config: desired, phase, since: now, failures, reason: known.reason };
  if (known.phase !== phase)
    return { ...known, phase, since: now, ...(known.phase === "Rebooting" ? { booted: true as const } : {}) };
  const due = dueIn(known, now);
  // The clock was set back: the phase would have all this time too.
  if (due > deadlines[phase]) return { ...known, since: now };
  if (due > 0) return known;
  return {
    config: desired,
    phase: "Failed",
    since: now,
    failures: failures + 1,
    reason: tooLong[phase],
    stuckIn: phase,
  };
}

/** Whether the node must not be asked for this config again. */
export function gaveUp({ config, failures }: NodeProgress, target: string): boolean {
  return config === target && failures >= attempts;
}

/** Milliseconds until the phase has lasted too long. */
export function dueIn({ phase, since }: NodeProgress, now: string): number {
  if (phase === "Failed") return Infinity;
  return (parseTime(since) ?? 0) + deadlines[phase] - (parseTime(now) ?? 0);
}

const tooLong: Readonly<Record<Exclude<Phase, "Failed">, string>> = {
  Told: "its agent has not started the update for 15 minutes: see whether the agent runs there",
  Working: "its agent has been applying the update for an hour: see the log of the agent",
  Draining: "it could not be drained within an hour",
  Rebooting:
    "it has been silent for 15 minutes since it started to reboot: see its console; the previous boot entry can still be chosen",
};

export function phaseOf({ isFailing, update }: NodeState): Phase {
  const { isRebooting, state, desiredDrain, lastAppliedDrain } = update;
  if (isFailing) return "Failed";
  if (isRebooting) return "Rebooting";
  if (asksForDrain(update) && desiredDrain !== lastAppliedDrain) return "Draining";
  return state === "Working" ? "Working" : "Told";
}
