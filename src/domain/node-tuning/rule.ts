import { type Deferred, deferredOf, type Recommend, type Tuned } from "./api.ts";
import { type Labelled, matches, matchProblem, usesPods } from "./match.ts";
import type { Pools } from "./pools.ts";

/** One entry of a Tuned's `recommend`. */
export interface Rule {
  readonly tuned: string;
  /** Its place in the list. */
  readonly index: number;
  readonly recommend: Recommend;
  /** When its changes may reach a node; of the Tuned that has the rule, not of the one that has the text. */
  readonly deferred?: Deferred;
  /** Why the rule is never chosen. */
  readonly problem?: string;
  readonly usesPods: boolean;
}

/** Every rule in the order in which they are tried: by priority, then the Tuned's name, then the place in its list. */
export function rulesOf(tuneds: readonly Tuned[]): Rule[] {
  return tuneds
    .toSorted((a, b) => compare(nameOf(a), nameOf(b)))
    .flatMap((tuned) => (tuned.spec?.recommend ?? []).map((recommend, index) => ruleOf(tuned, recommend, index)))
    .toSorted((a, b) => a.recommend.priority - b.recommend.priority);
}

function ruleOf(tuned: Tuned, recommend: Recommend, index: number): Rule {
  const problem = matchProblem(recommend.match, `recommend[${index}].match`);
  const deferred = deferredOf(tuned);
  return {
    tuned: nameOf(tuned),
    index,
    recommend,
    ...(deferred ? { deferred } : {}),
    ...(problem === undefined ? {} : { problem: `${problem}; the rule is not used` }),
    usesPods: problem === undefined && usesPods(recommend.match),
  };
}

/** Through what a rule holds for a node. Only through a pool does it reach the node's boot arguments. */
export type Via = { readonly type: "match" } | { readonly type: "pool"; readonly pool: string };

/** Labels come first: a rule that holds through both holds through its labels. */
export function holdsFor(rule: Rule, labelled: Labelled, pools: Pools): Via | undefined {
  const { match, machineConfigLabels } = rule.recommend;
  if (rule.problem !== undefined) return undefined;
  const byLabels = match ?? (machineConfigLabels ? undefined : []);
  if (byLabels && (byLabels.length === 0 || matches(byLabels, labelled))) return { type: "match" };
  if (!machineConfigLabels) return undefined;
  const selected = pools.selecting(machineConfigLabels);
  const pool = pools.ofNode(labelled.node).find((name) => selected.includes(name));
  return pool === undefined ? undefined : { type: "pool", pool };
}

export interface Choice {
  readonly rule: Rule;
  readonly via: Via;
  /** Rules of the same priority that hold as well and want another profile. */
  readonly ties: readonly Rule[];
}

/** The first rule that holds for a node. */
export function chooseRule(rules: readonly Rule[], labelled: Labelled, pools: Pools): Choice | undefined {
  for (const [i, rule] of rules.entries()) {
    const via = holdsFor(rule, labelled, pools);
    if (via) return { rule, via, ties: tiesWith(rule, rules.slice(i + 1), labelled, pools) };
  }
  return undefined;
}

function tiesWith({ recommend }: Rule, later: readonly Rule[], labelled: Labelled, pools: Pools): Rule[] {
  const ties: Rule[] = [];
  for (const other of later) {
    if (other.recommend.priority !== recommend.priority) break;
    if (other.recommend.profile !== recommend.profile && holdsFor(other, labelled, pools)) ties.push(other);
  }
  return ties;
}

export function describeRule({ tuned, index, recommend }: Rule): string {
  return `Tuned ${tuned} recommend[${index}] (profile ${recommend.profile}, priority ${recommend.priority})`;
}

function nameOf({ metadata }: Tuned): string {
  return metadata.name ?? "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
