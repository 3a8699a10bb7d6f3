import type { CostBudget } from "../../../../language/schema/cel/frame.ts";
import { EvaluationError, type Value } from "../../../../language/schema/cel/value.ts";
import type { Outcome } from "./environment.ts";

export type Evaluation =
  | { readonly type: "value"; readonly value: Value }
  | { readonly type: "error"; readonly message: string }
  /** The cost budget is used up: nothing that follows can be evaluated either. */
  | { readonly type: "budget-exhausted"; readonly message: string };

/** Evaluates a compiled expression; errors have kube-apiserver's messages. */
export function evaluate(
  source: string,
  compiled: Outcome,
  variables: Readonly<Record<string, Value>>,
  budget: CostBudget,
): Evaluation {
  if (compiled.type === "fault") return { type: "error", message: `compilation error: ${compiled.detail}` };
  try {
    return { type: "value", value: compiled.expression.evaluate(variables, budget) };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    if (budget.left <= 0)
      return {
        type: "budget-exhausted",
        message: "validation failed due to running out of cost budget, no further validation rules will be run",
      };
    return { type: "error", message: `expression '${source}' resulted in error: ${error.message}` };
  }
}
