import { isObject } from "../../language/object/json.ts";
import { isSafeName } from "../../language/tuned/chain/include.ts";
import { formatProblem, type Problem } from "../../language/tuned/problem.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type Deferred, deferredOf, type Match, type Profile, type Recommend, type Tuned } from "./api.ts";
import type { Labels, Pools } from "../machine-config/pools.ts";
import type { ProfileTexts } from "./profile-texts.ts";

/** What a rule is matched with: labels, and the profiles of the node's own folders. */
export interface Labelled {
  /** The profile that the node has. */
  readonly profile?: string | undefined;
  readonly hostProfiles?: readonly string[] | undefined;
  readonly node: Labels;
  /** Of each pod on the node. */
  readonly pods: readonly Labels[];
}

/** `profile`: of the node. */
export function labelledOf(node: KubeObject, profile: Profile | undefined, pods: readonly Labels[]): Labelled {
  const { status, spec } = profile ?? {};
  return {
    node: node.metadata.labels ?? {},
    pods,
    hostProfiles: status?.hostProfiles,
    profile: spec?.config.tunedProfile,
  };
}

/** One entry of a Tuned's `recommend`. */
export interface Rule {
  readonly tuned: string;
  /** Its place in the list. */
  readonly index: number;
  readonly recommend: Recommend;
  /** Whether its changes wait for a restart: set on the Tuned with the rule, not on the one with the profile's text. */
  readonly deferred?: Deferred | undefined;
  /** Why the rule matches no node. */
  readonly problem?: string | undefined;
  /** What is wrong with its profile: the rule is not chosen for a node that does not have the profile already. */
  readonly unusable?: string | undefined;
  /** Why a node with these profiles in its own folders cannot. */
  readonly unusableOn: (hostProfiles: readonly string[]) => string | undefined;
  readonly usesPods: boolean;
}

/**
 * Every rule in the order in which they are tried: by priority, then the Tuned's name, then the place in its list. With
 * `texts`, a rule whose profile has an error is never chosen.
 */
export function rulesOf(tuneds: readonly Tuned[], texts?: ProfileTexts): Rule[] {
  return tuneds
    .toSorted((a, b) => compare(nameOf(a), nameOf(b)))
    .flatMap((tuned) =>
      (tuned.spec?.recommend ?? []).map((recommend, index) => ruleOf({ tuned, recommend, index, texts })),
    )
    .toSorted((a, b) => a.recommend.priority - b.recommend.priority);
}

/** The rules of each Tuned, in the order of its list. */
export function rulesByTuned(rules: readonly Rule[]): (tuned: string) => readonly Rule[] {
  const found = new Map<string, Rule[]>();
  for (const rule of rules.toSorted((a, b) => a.index - b.index)) {
    const own = found.get(rule.tuned) ?? [];
    own.push(rule);
    found.set(rule.tuned, own);
  }
  return (tuned) => found.get(tuned) ?? [];
}

interface Entry {
  readonly tuned: Tuned;
  readonly recommend: Recommend;
  readonly index: number;
  readonly texts: ProfileTexts | undefined;
}

function ruleOf({ tuned, recommend, index, texts }: Entry): Rule {
  const problem = matchProblem(recommend.match, `recommend[${index}].match`);
  const path = `recommend[${index}].profile`;
  const problemOn = (onHost?: readonly string[]): string | undefined =>
    profileProblem(recommend.profile, path, (profile) => texts?.problemsOf(profile, onHost));
  // Asked for every node that the rule matches; most nodes have no profiles of their own.
  const known = new Map<string, string | undefined>();
  const unusableOn = (onHost: readonly string[]): string | undefined => {
    const key = onHost.join(" ");
    if (!known.has(key)) known.set(key, problemOn(onHost));
    return known.get(key);
  };
  return {
    tuned: nameOf(tuned),
    index,
    recommend,
    deferred: deferredOf(tuned),
    problem: problem && `${problem}; the rule is not used`,
    unusable: problemOn(),
    unusableOn,
    usesPods: problem === undefined && usesPods(recommend.match),
  };
}

function profileProblem(
  profile: string,
  path: string,
  problemsOf: (profile: string) => readonly Problem[] | undefined,
): string | undefined {
  const unsafe = profile.split(/\s+/).find((name) => name !== "" && !isSafeName(name));
  if (unsafe !== undefined) return `${path}: ${JSON.stringify(unsafe)} is not a valid name of a profile`;
  const [first] = problemsOf(profile) ?? [];
  return first && `${path}: ${formatProblem(first)}`;
}

export function describeRule({ tuned, index, recommend }: Rule): string {
  return `Tuned ${tuned} recommend[${index}] (profile ${recommend.profile}, priority ${recommend.priority})`;
}

/** By what a rule matches a node. Only by a pool does it reach the node's boot arguments. */
export type Via = { readonly type: "match" } | { readonly type: "pool"; readonly pool: string };

const byMatch: Via = { type: "match" };

/** `match` comes first: a rule that matches by both matches by its labels. */
export function matchNode(rule: Rule, labelled: Labelled, pools: Pools): Via | undefined {
  const { match, machineConfigLabels } = rule.recommend;
  if (rule.problem !== undefined) return undefined;
  const byLabels = match ?? (machineConfigLabels ? undefined : []);
  if (byLabels && (byLabels.length === 0 || matches(byLabels, labelled))) return byMatch;
  if (!machineConfigLabels) return undefined;
  const selected = pools.selecting(machineConfigLabels);
  // A node that two custom pools select is in none. What it has by one of them stays: a label must not take it off a running node.
  const keeps = rule.recommend.profile === labelled.profile ? pools.conflictOf(labelled.node) : [];
  const pool = [...pools.ofNode(labelled.node), ...keeps].find((name) => selected.includes(name));
  return pool === undefined ? undefined : { type: "pool", pool };
}

/** A rule that matches a node. */
export interface Matching {
  readonly rule: Rule;
  readonly via: Via;
}

/** A rule that matches a node which cannot use its profile. */
export interface PassedOver extends Matching {
  readonly because: string;
}

export interface Choice extends Matching {
  /** Rules of the same priority that match as well and have another profile. */
  readonly ties: readonly Rule[];
}

/**
 * The first rule that matches a node and has a usable profile. `passedOver`: of those before it that have none, the first
 * and those with the profile that the node has; there may be thousands.
 */
export function chooseRule(
  rules: readonly Rule[],
  labelled: Labelled,
  pools: Pools,
): { readonly choice: Choice | undefined; readonly passedOver: readonly PassedOver[] } {
  const passedOver: PassedOver[] = [];
  for (const [i, rule] of rules.entries()) {
    const via = matchNode(rule, labelled, pools);
    if (!via) continue;
    const because = rule.unusableOn(labelled.hostProfiles ?? []);
    if (because === undefined)
      return { choice: { rule, via, ties: tiesWith(rule, rules.slice(i + 1), labelled, pools) }, passedOver };
    if (passedOver.length === 0 || rule.recommend.profile === labelled.profile) passedOver.push({ rule, via, because });
  }
  return { choice: undefined, passedOver };
}

function tiesWith({ recommend }: Rule, others: readonly Rule[], labelled: Labelled, pools: Pools): Rule[] {
  const ties: Rule[] = [];
  for (const other of others) {
    if (other.recommend.priority !== recommend.priority) break;
    if (other.unusableOn(labelled.hostProfiles ?? []) !== undefined) continue;
    if (other.recommend.profile !== recommend.profile && matchNode(other, labelled, pools)) ties.push(other);
  }
  return ties;
}

/** By Tuned: its rules that tie with others. One message for each pair of rules. */
export function tieMessages(
  chosen: readonly { readonly node: KubeObject; readonly choice: Choice }[],
): Map<string, string[]> {
  const pairs = new Map<string, { winner: Rule; other: Rule; node: string; more: number }>();
  for (const { node, choice } of chosen)
    for (const other of choice.ties) {
      const winner = choice.rule;
      const key = JSON.stringify([winner.tuned, winner.index, other.tuned, other.index]);
      const known = pairs.get(key);
      if (known) known.more++;
      else pairs.set(key, { winner, other, node: node.metadata.name ?? "", more: 0 });
    }
  const messages = new Map<string, string[]>();
  for (const { winner, other, node, more } of pairs.values()) {
    const where = more > 0 ? `node ${node} and ${more} more` : `node ${node}`;
    const message = `${describeRule(winner)} and ${describeRule(other)} both match ${where}: the first is used`;
    for (const tuned of new Set([winner.tuned, other.tuned]))
      messages.set(tuned, [...(messages.get(tuned) ?? []), message]);
  }
  return messages;
}

/** Whether any entry of a tree matches. Only for trees without a `matchProblem`. */
export function matches(entries: readonly Match[], labelled: Labelled): boolean {
  return entries.some((entry) => hasLabel(entry, labelled) && (!entry.match?.length || matches(entry.match, labelled)));
}

/** An entry without a label matches by itself; an empty label matches nothing. */
export function hasLabel({ label, value, type }: Match, { node, pods }: Labelled): boolean {
  if (label === undefined || label === null) return true;
  const among = (labels: Labels): boolean =>
    Object.hasOwn(labels, label) && (value === undefined || value === null || labels[label] === value);
  return type === "pod" ? pods.some(among) : among(node);
}

function usesPods(entries: readonly Match[] | null | undefined): boolean {
  return (entries ?? []).some(({ type, match }) => type === "pod" || usesPods(match));
}

const deepest = 50;

/** Why a tree cannot be used, with its place. The CRD's schema validates only the first level. */
function matchProblem(entries: unknown, path: string, depth = 0): string | undefined {
  if (entries === undefined || entries === null) return undefined;
  if (!Array.isArray(entries)) return `${path} is not a list`;
  if (depth >= deepest) return `${path} is nested more than ${deepest} deep`;
  for (const [i, entry] of entries.entries()) {
    const problem = entryProblem(entry, `${path}[${i}]`, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function entryProblem(entry: unknown, path: string, depth: number): string | undefined {
  if (!isObject(entry)) return `${path} is not an object`;
  for (const field of ["label", "value", "type"])
    if (entry[field] !== undefined && entry[field] !== null && typeof entry[field] !== "string")
      return `${path}.${field} is not a string`;
  return matchProblem(entry["match"], `${path}.match`, depth + 1);
}

function nameOf({ metadata }: Tuned): string {
  return metadata.name ?? "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
