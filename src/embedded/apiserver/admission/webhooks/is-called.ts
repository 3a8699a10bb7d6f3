import type { Authorizer } from "../../auth/user.ts";
import type { Lookup } from "../../resource.ts";
import { forbidden } from "../../status-error.ts";
import type { Attributes } from "../admission.ts";
import { evaluateMatchConditions } from "../expressions/match-conditions.ts";
import { variablesFor, WriteFacts } from "../expressions/write-facts.ts";
import { matchesSelectors } from "../match/selectors.ts";
import type { Candidate } from "./webhook-index.ts";

export interface Surroundings {
  readonly objects: Lookup;
  readonly authorizer: Authorizer;
}

/** Whether a webhook whose rules name the write is asked about this one. */
export function isCalled({ hook, shownAs }: Candidate, attributes: Attributes, around: Surroundings): boolean {
  if (!matchesSelectors(hook.selectors, attributes, around.objects)) return false;
  if (hook.conditions.length === 0) return true;
  const facts = new WriteFacts(attributes, around.authorizer, around.objects);
  const outcome = evaluateMatchConditions(hook.conditions, variablesFor(facts, shownAs));
  if (outcome.type !== "error") return outcome.type === "match";
  if (hook.webhook.failurePolicy === "Ignore") return false;
  const { resource, name } = attributes;
  const [first, ...more] = outcome.errors;
  const why = more.length === 0 ? (first ?? "") : `[${outcome.errors.join(", ")}]`;
  throw forbidden(resource.group, resource.plural, name, why);
}
