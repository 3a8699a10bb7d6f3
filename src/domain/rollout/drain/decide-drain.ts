import { parseTime } from "../../../language/object/time.ts";
import type { PlannedEvent } from "../../../language/object/plan.ts";
import type { NodeState } from "../node-state.ts";
import { printable, uncordonRequest } from "../node-annotations.ts";
import { type DrainRecord, readDrain } from "./drain-record.ts";

export type DrainDecision =
  | { readonly type: "none" }
  | { readonly type: "invalid"; readonly problem: string }
  /** `isOurs`: the operator cordoned the node, and takes the cordon away. */
  | { readonly type: "uncordon"; readonly request: string | undefined; readonly isOurs: boolean }
  | {
      readonly type: "drain";
      readonly request: string;
      /** The config that the node waits for. */
      readonly config: string;
      readonly cordon: boolean;
      readonly record: DrainRecord;
      readonly event: Pick<PlannedEvent, "type" | "reason" | "message"> | undefined;
    };

const minute = 60_000;
/** From when on a slow drain is reported. */
const thresholdMs = 10 * minute;
/** From when on it has failed, see `deadlines`. It goes on: whatever is in the way may still go. */
const timeoutMs = 60 * minute;

/** What the agent of a node asks for, and how far it is. `now` is RFC 3339. */
export function decideDrain(state: NodeState, now: string): DrainDecision {
  const { desiredDrain: request, lastAppliedDrain, desired } = state.update;
  const isOurs = state.cordonedBy === "operator";
  // No config is wanted any more, so that no agent will ask.
  if (isOurs && desired === "") return { type: "uncordon", request: undefined, isOurs };
  // It was cordoned for a drain that ended before it was answered: its agent asks for what it had asked for before.
  const isLeftOver = isOurs && request === uncordonRequest(desired);
  if (request === "" || (request === lastAppliedDrain && !isLeftOver)) return { type: "none" };
  const [, verb = request, config = ""] = /^([^-]*)-(.+)$/.exec(request) ?? [];
  if (verb !== "drain" && verb !== "uncordon") {
    const asked = printable(request, 100);
    return { type: "invalid", problem: `node ${state.name} asks for ${asked}, which is neither drain nor uncordon` };
  }
  // Told another config meanwhile: its agent will ask again. One that was never told this config has no reason to ask.
  if (config !== desired) return { type: "none" };
  if (verb === "uncordon") return { type: "uncordon", request, isOurs };
  const known = readDrain(state.node);
  const record = known?.request === request ? known : { request, since: now, blocked: [] };
  return {
    type: "drain",
    request,
    config,
    cordon: state.cordonedBy === undefined,
    ...overdue(state.name, record, now),
  };
}

/** The event about a slow drain, once for each limit. */
function overdue(
  node: string,
  record: DrainRecord,
  now: string,
): Pick<Extract<DrainDecision, { type: "drain" }>, "record" | "event"> {
  const ms = elapsed(record, now);
  if (ms > timeoutMs && record.warned !== "DrainFailed") {
    const message = `node ${node}: drain exceeded timeout: 1h0m0s. Will continue to retry.`;
    return { record: { ...record, warned: "DrainFailed" }, event: { type: "Warning", reason: "DrainFailed", message } };
  }
  if (ms > thresholdMs && record.warned === undefined) {
    const message = `node ${node}: drain takes longer than 10 minutes: see the condition RolloutBlocked of its pool`;
    const reason = "DrainThresholdExceeded";
    return { record: { ...record, warned: reason }, event: { type: "Warning", reason, message } };
  }
  return { record, event: undefined };
}

/** When to try again: soon at first, then so that a drain of hours costs little. */
export function retryAfter(record: DrainRecord, now: string, isEnding: boolean): number {
  if (isEnding) return 2_000;
  const ms = elapsed(record, now);
  return ms < 90_000 ? 5_000 : ms < thresholdMs ? 20_000 : minute;
}

export function hasFailed(record: DrainRecord): boolean {
  return record.warned === "DrainFailed";
}

export function elapsed({ since }: DrainRecord, now: string): number {
  return (parseTime(now) ?? 0) - (parseTime(since) ?? 0);
}
