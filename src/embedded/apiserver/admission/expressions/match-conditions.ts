import type { CostBudget } from "../../../../language/schema/cel/frame.ts";
import type { Value } from "../../../../language/schema/cel/value.ts";
import { compileAbout, type Environment, type Outcome } from "./environment.ts";
import { evaluate } from "./evaluate.ts";

/** `matchConditions` of a webhook or policy. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface CompiledCondition extends MatchCondition {
  /** May be a fault: a stored expression may no longer compile. */
  readonly compiled: Outcome;
}

export type MatchOutcome =
  | { readonly type: "match" }
  | { readonly type: "mismatch"; readonly name: string }
  | { readonly type: "error"; readonly errors: readonly string[] };

/** kube-apiserver's cost limit for all conditions of one webhook or policy. */
const conditionsBudget = 2_500_000;

export function compileMatchConditions(
  conditions: readonly MatchCondition[] = [],
  environment: Environment = { authorizer: true },
): CompiledCondition[] {
  return conditions.map(({ name, expression }) => ({
    name,
    expression,
    compiled: compileAbout(expression, environment, "bool"),
  }));
}

/** A false condition is a mismatch, even if others failed: nothing after it is evaluated. */
export function evaluateMatchConditions(
  conditions: readonly CompiledCondition[],
  variables: Readonly<Record<string, Value>>,
): MatchOutcome {
  const budget: CostBudget = { left: conditionsBudget };
  const errors: string[] = [];
  for (const { name, expression, compiled } of conditions) {
    const outcome = evaluate(expression, compiled, variables, budget);
    if (outcome.type === "budget-exhausted") return { type: "error", errors: [outcome.message] };
    if (outcome.type === "error") errors.push(outcome.message);
    else if (outcome.value !== true) return { type: "mismatch", name };
  }
  return errors.length > 0 ? { type: "error", errors } : { type: "match" };
}
