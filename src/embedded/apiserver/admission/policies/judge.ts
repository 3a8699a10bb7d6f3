import { byteLength } from "../../../../language/object/byte-length.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type CostBudget, totalCostLimit } from "../../../../language/schema/cel/frame.ts";
import { fromJson } from "../../../../language/schema/cel/json-value.ts";
import type { Value } from "../../../../language/schema/cel/value.ts";
import type { Resource } from "../../resource.ts";
import { evaluate } from "../expressions/evaluate.ts";
import { evaluateMatchConditions } from "../expressions/match-conditions.ts";
import { variablesFor, type WriteFacts } from "../expressions/write-facts.ts";
import type { CompiledPolicy, CompiledValidation } from "./compiled-policy.ts";
import { variablesValue } from "./variables-value.ts";

/** Something a policy has against a write. */
export interface Objection {
  readonly message: string;
  readonly reason: string;
  /** Annotations are for the audit log; one that cannot be made refuses the write, whatever the binding's actions. */
  readonly always?: boolean;
}

const longestMessage = 5 * 1024;
const messageTooDear =
  "failed messageExpression: validation failed due to running out of cost budget, no further validation rules will be run";

/** What a policy has against a write, given one of its params. Nothing where its conditions do not hold. */
export function judge(
  policy: CompiledPolicy,
  facts: WriteFacts,
  shownAs: Resource,
  params: KubeObject | undefined,
): Objection[] {
  const given = params === undefined ? null : fromJson(params);
  const conditions = policy.conditions.length > 0 ? conditionsHold(policy, facts, shownAs, given) : true;
  if (conditions !== true) return conditions === false || policy.failsOpen ? [] : [conditions];

  const budget: CostBudget = { left: totalCostLimit };
  const values = valuesWith(policy, facts, shownAs, given, budget);
  const objections: Objection[] = [];
  const broken = (message: string): void => {
    if (!policy.failsOpen) objections.push({ message, reason: "Invalid" });
  };
  for (const validation of policy.validations) {
    const outcome = evaluate(validation.source, validation.compiled, values, budget);
    if (outcome.type === "broke") return policy.failsOpen ? [] : [{ message: outcome.message, reason: "Invalid" }];
    if (outcome.type === "error") broken(outcome.message);
    else if (outcome.value !== true) {
      const message = messageOf(validation, values, budget);
      if (message === undefined) broken(messageTooDear);
      else objections.push({ message, reason: validation.reason });
    }
  }
  if (policy.annotations.length > 0) annotate(policy, facts, shownAs, given, objections);
  return objections;
}

/** Conditions stand apart: they have a cost budget of their own and do not see the namespace. */
function conditionsHold(
  policy: CompiledPolicy,
  facts: WriteFacts,
  shownAs: Resource,
  params: Value,
): boolean | Objection {
  const budget: CostBudget = { left: totalCostLimit };
  const values = valuesWith(policy, facts, shownAs, params, budget, false);
  const outcome = evaluateMatchConditions(policy.conditions, values);
  if (outcome.type !== "error") return outcome.type === "match";
  const [first = "", ...more] = new Set(outcome.errors);
  return { message: more.length > 0 ? `[${[first, ...more].join(", ")}]` : first, reason: "Invalid" };
}

function valuesWith(
  policy: CompiledPolicy,
  facts: WriteFacts,
  shownAs: Resource,
  params: Value,
  budget: CostBudget,
  inNamespace = true,
): Readonly<Record<string, Value>> {
  const values = variablesFor(facts, shownAs, {
    params,
    variables: policy.variables.length > 0 ? variablesValue(policy.variables, () => values, budget) : null,
    inNamespace,
  });
  return values;
}

/**
 * The first that says something on one line: the expression's, the text given, the validation itself. Undefined where
 * nothing is left to pay for it.
 */
function messageOf(
  { source, message, messageExpression }: CompiledValidation,
  values: Readonly<Record<string, Value>>,
  budget: CostBudget,
): string | undefined {
  if (messageExpression) {
    const outcome = evaluate(messageExpression.source, messageExpression.compiled, values, budget);
    if (outcome.type === "broke") return undefined;
    if (outcome.type === "value" && typeof outcome.value === "string") {
      const text = outcome.value.trim();
      if (text !== "" && byteLength(text) <= longestMessage && !text.includes("\n")) return text;
    }
  }
  return message || `failed expression: ${source.trim()}`;
}

function annotate(
  policy: CompiledPolicy,
  facts: WriteFacts,
  shownAs: Resource,
  params: Value,
  objections: Objection[],
): void {
  const budget: CostBudget = { left: totalCostLimit };
  const values = valuesWith(policy, facts, shownAs, params, budget);
  for (const { source, compiled } of policy.annotations) {
    const outcome = evaluate(source, compiled, values, budget);
    if (outcome.type !== "value" && !policy.failsOpen)
      objections.push({ message: outcome.message, reason: "Invalid", always: true });
  }
}
