import { EvaluationError, isList, isMap, type Value } from "./value.ts";

/** The state of one evaluation: the values of its variables, and the cost it may still incur. */
export interface Frame {
  readonly slots: Value[];
  budget: number;
}

/** Cost limit of one evaluation. A step of a loop or a call costs one, long texts and lists more. */
export const costLimit = 1_000_000;

/** Cost limit of all evaluations for one object together. */
export const totalCostLimit = 10_000_000;

/** The cost that several evaluations may still incur together. */
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

/** The cost of reading all of a value. */
export function sizeCost(value: Value): number {
  if (typeof value === "string") return 1 + value.length / 10;
  if (value instanceof Uint8Array) return 1 + value.length / 10;
  if (isList(value)) return 1 + value.length;
  return isMap(value) ? 1 + value.size : 1;
}
