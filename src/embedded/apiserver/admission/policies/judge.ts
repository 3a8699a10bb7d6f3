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

/** A reason why a policy refuses a write. */
export interface Objection {
  readonly message: string;
  readonly reason: string;
  /** Refuses the write whatever the binding's actions: an audit annotation failed. */
  readonly always?: boolean;
}

const longestMessage = 5 * 1024;
const messageTooCostly =
  "failed messageExpression: validation failed due to running out of cost budget, no further validation rules will be run";

/** One evaluation of a policy: for one write, with one of its params. */
export interface Evaluated {
  readonly policy: CompiledPolicy;
  readonly facts: WriteFacts;
  /** The resource in the version that the policy's rule matched. */
  readonly shownAs: Resource;
  readonly params: KubeObject | undefined;
}

/** The objections of a policy to a write. None if its matchConditions are false. */
export function judge({ policy, facts, shownAs, params: object }: Evaluated): Objection[] {
  const params = object === undefined ? null : fromJson(object);
  const valuesFor = (budget: CostBudget, { inNamespace = true } = {}): Values => {
    const values = variablesFor(facts, shownAs, {
      params,
      variables: policy.variables.length > 0 ? variablesValue(policy.variables, () => values, budget) : null,
      inNamespace,
    });
    return values;
  };
  const conditions = policy.conditions.length > 0 ? conditionsHold(policy, valuesFor) : true;
  if (conditions !== true) return conditions === false || policy.failsOpen ? [] : [conditions];

  const budget: CostBudget = { left: totalCostLimit };
  const values = valuesFor(budget);
  const objections: Objection[] = [];
  const broken = (message: string): void => {
    if (!policy.failsOpen) objections.push({ message, reason: "Invalid" });
  };
  for (const validation of policy.validations) {
    const outcome = evaluate(validation.source, validation.compiled, values, budget);
    if (outcome.type === "budget-exhausted")
      return policy.failsOpen ? [] : [{ message: outcome.message, reason: "Invalid" }];
    if (outcome.type === "error") broken(outcome.message);
    else if (outcome.value !== true) {
      const message = messageOf(validation, values, budget);
      if (message === undefined) broken(messageTooCostly);
      else objections.push({ message, reason: validation.reason });
    }
  }
  if (policy.annotations.length > 0) objections.push(...annotationFaults(policy, valuesFor));
  return objections;
}

type Values = Readonly<Record<string, Value>>;
type ValuesFor = (budget: CostBudget, options?: { inNamespace?: boolean }) => Values;

/** Conditions have their own cost budget and no `namespaceObject`. */
function conditionsHold(policy: CompiledPolicy, valuesFor: ValuesFor): boolean | Objection {
  const values = valuesFor({ left: totalCostLimit }, { inNamespace: false });
  const outcome = evaluateMatchConditions(policy.conditions, values);
  if (outcome.type !== "error") return outcome.type === "match";
  const [first = "", ...more] = new Set(outcome.errors);
  return { message: more.length > 0 ? `[${[first, ...more].join(", ")}]` : first, reason: "Invalid" };
}

/**
 * The messageExpression's result if it is a single line, else the message, else the expression itself. Undefined if the
 * cost budget is exhausted.
 */
function messageOf(
  { source, message, messageExpression }: CompiledValidation,
  values: Values,
  budget: CostBudget,
): string | undefined {
  if (messageExpression) {
    const outcome = evaluate(messageExpression.source, messageExpression.compiled, values, budget);
    if (outcome.type === "budget-exhausted") return undefined;
    if (outcome.type === "value" && typeof outcome.value === "string") {
      const text = outcome.value.trim();
      if (text !== "" && byteLength(text) <= longestMessage && !text.includes("\n")) return text;
    }
  }
  return message || `failed expression: ${source.trim()}`;
}

function annotationFaults(policy: CompiledPolicy, valuesFor: ValuesFor): Objection[] {
  const budget: CostBudget = { left: totalCostLimit };
  const values = valuesFor(budget);
  return policy.annotations.flatMap(({ source, compiled }): Objection[] => {
    const outcome = evaluate(source, compiled, values, budget);
    if (outcome.type === "value" || policy.failsOpen) return [];
    return [{ message: outcome.message, reason: "Invalid", always: true }];
  });
}
