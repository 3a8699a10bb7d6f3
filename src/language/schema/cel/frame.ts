import { EvaluationError, isList, isMap, type Value } from "./value.ts";

/** What one run of an expression has: its variables, and how much it may still cost. */
export interface Frame {
  readonly slots: Value[];
  budget: number;
}

/** The most that one run of one expression may cost; a step of a loop or a call costs one, long texts and lists more. */
export const costLimit = 1_000_000;

/** The most that all runs for one object may cost together. */
export const totalCostLimit = 10_000_000;

/** What several runs may still cost together. */
export interface CostBudget {
  left: number;
}

export class CostError extends EvaluationError {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
    this.name = "CostError";
  }
}

export function charge(frame: Frame, cost: number): void {
  frame.budget -= cost;
  if (frame.budget < 0) throw new CostError();
}

/** What it costs to look at all of a value. */
export function sizeCost(value: Value): number {
  if (typeof value === "string") return 1 + value.length / 10;
  if (value instanceof Uint8Array) return 1 + value.length / 10;
  if (isList(value)) return 1 + value.length;
  return isMap(value) ? 1 + value.size : 1;
}
