import { formatTime, parseTime } from "../../language/object/time.ts";
import type { NodePool } from "./api.ts";
import type { Outcome } from "./conditions.ts";

/** Whether the nodes of a NodePool stay as they are. */
export interface Pause {
  readonly isPaused: boolean;
  readonly outcome: Outcome;
  /** When it ends by itself. */
  readonly againInMs?: number | undefined;
}

/** By `spec.pausedUntil`: a time, or `true` until the field changes. */
export function pauseOf({ spec }: NodePool, now: number): Pause {
  const value = spec?.pausedUntil ?? "";
  if (value === "" || /^false$/i.test(value)) return active;
  if (/^true$/i.test(value)) return paused("Reconciliation paused until field removed");
  const end = parseTime(value);
  if (end === undefined)
    return {
      isPaused: false,
      outcome: {
        ...active.outcome,
        reason: "InvalidPausedUntilValue",
        message: `spec.pausedUntil is neither a time nor true or false: ${value.slice(0, 100)}`,
      },
    };
  return end > now ? { ...paused(`Reconciliation paused until: ${formatTime(end)}`), againInMs: end - now } : active;
}

const type = "ReconciliationActive";

const active: Pause = {
  isPaused: false,
  outcome: { type, status: "True", reason: type, message: "Reconciliation active on resource" },
};

function paused(message: string): Pause {
  return { isPaused: true, outcome: { type, status: "False", reason: "ReconciliationPaused", message } };
}
