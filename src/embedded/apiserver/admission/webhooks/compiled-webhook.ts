import { compileMatchConditions, type CompiledCondition } from "../expressions/match-conditions.ts";
import type { Rules } from "../match/rules.ts";
import { compileSelectors, type Selectors } from "../match/selectors.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook made ready to be matched: once for each change of its configuration. */
export interface CompiledWebhook {
  /** Unlike its name, no other webhook's. */
  readonly id: string;
  readonly webhook: Webhook;
  readonly rules: Rules;
  readonly selectors: Selectors;
  readonly conditions: readonly CompiledCondition[];
}

export function compileWebhook(configuration: string, index: number, webhook: Webhook): CompiledWebhook {
  const { rules = [], matchPolicy, matchConditions } = webhook;
  return {
    id: `${configuration}/${index}`,
    webhook,
    rules: matchPolicy === undefined ? { rules } : { rules, matchPolicy },
    selectors: compileSelectors(webhook),
    conditions: compileMatchConditions(matchConditions),
  };
}
