import { deferredAnnotation, type Recommend, type Tuned } from "./api.ts";
import { matchesNode, matchProblem } from "./match.ts";

/** One entry of a Tuned's `recommend`. */
export interface Rule {
  readonly tuned: string;
  /** Its place in the list. */
  readonly index: number;
  readonly recommend: Recommend;
  /** Why the rule is never chosen, or not by all that it says. */
  readonly problems: readonly string[];
  readonly usable: boolean;
}

/** Every rule in the order in which they are tried: by priority, then the Tuned's name, then the place in its list. */
export function rulesOf(tuneds: readonly Tuned[]): Rule[] {
  return tuneds
    .toSorted((a, b) => compare(nameOf(a), nameOf(b)))
    .flatMap((tuned) => (tuned.spec?.recommend ?? []).map((recommend, index) => ruleOf(tuned, recommend, index)))
    .toSorted((a, b) => a.recommend.priority - b.recommend.priority);
}

function ruleOf(tuned: Tuned, recommend: Recommend, index: number): Rule {
  const place = `recommend[${index}]`;
  const problems: string[] = [];
  let usable = true;

  const tree = matchProblem(recommend.match, `${place}.match`);
  if (tree !== undefined) {
    problems.push(`${tree}; the rule is not used`);
    usable = false;
  }
  if (recommend.machineConfigLabels) {
    // Both given, either would do: what can be judged still counts.
    const rest = recommend.match ? "only its match counts" : "the rule is not used";
    problems.push(`${place}.machineConfigLabels: machine config pools are not supported; ${rest}`);
    if (!recommend.match) usable = false;
  }
  if (isDeferred(tuned)) {
    problems.push(`${place}: deferred updates are not supported; the rule is not used`);
    usable = false;
  }
  return { tuned: nameOf(tuned), index, recommend, problems, usable };
}

function isDeferred({ metadata: { annotations = {} } }: Tuned): boolean {
  const mode = Object.hasOwn(annotations, deferredAnnotation) ? annotations[deferredAnnotation] : undefined;
  return mode === "always" || mode === "update";
}

export interface Choice {
  readonly rule: Rule;
  /** Rules of the same priority that hold as well and want another profile. */
  readonly ties: readonly Rule[];
}

/** The first rule that holds for a node with these labels. */
export function chooseRule(rules: readonly Rule[], labels: Readonly<Record<string, string>>): Choice | undefined {
  const holds = ({ usable, recommend }: Rule): boolean =>
    usable && (!recommend.match?.length || matchesNode(recommend.match, labels));
  const first = rules.findIndex(holds);
  const rule = rules[first];
  if (!rule) return undefined;
  const ties: Rule[] = [];
  for (let i = first + 1; i < rules.length; i++) {
    const other = rules[i]!;
    if (other.recommend.priority !== rule.recommend.priority) break;
    if (other.recommend.profile !== rule.recommend.profile && holds(other)) ties.push(other);
  }
  return { rule, ties };
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
