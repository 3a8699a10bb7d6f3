import { isTrue } from "../../../language/object/condition.ts";
import type { Profile, Tuned } from "../api.ts";
import { decideNodeTuning, type NodeTuningInput } from "../decide.ts";
import { type Chosen, judge, type Judgement } from "../judge.ts";
import { isLinux, type NodeFacts } from "../node-profile.ts";
import { describeRule, labelledOf } from "../rule.ts";
import type { TunedVerdict } from "./explain-node.ts";
import { explainRules, type RuleVerdict } from "./rule.ts";

/** What became of a Tuned: which nodes its rules and profiles reach, and why they do not reach the others. */
export interface TunedExplanation {
  readonly tuned: string;
  /** Whether operator and agents act on Tuneds at all. */
  readonly managementState: Judgement["managementState"];
  readonly conditions: TunedVerdict["conditions"];
  /** In the order of its list. */
  readonly rules: readonly RuleExplanation[];
  readonly profiles: readonly ProfileExplanation[];
  /** Nodes that no rule of any Tuned is for. */
  readonly otherSystems: readonly string[];
}

export interface RuleExplanation {
  readonly index: number;
  readonly profile: string;
  readonly priority: number;
  /** What the rule is for nodes, the nodes that it is chosen for first. */
  readonly nodes: readonly RuleOutcome[];
}

/** Nodes for which a rule has the same outcome for the same reason. */
export interface RuleOutcome {
  readonly outcome: RuleVerdict["outcome"];
  readonly because: string;
  /** The rule that is chosen instead, where this one matches. */
  readonly instead?: string;
  readonly nodes: readonly string[];
}

export interface ProfileExplanation {
  readonly profile: string;
  /** Nodes whose profile needs its text. */
  readonly nodes: readonly ProfileOnNodes[];
}

export interface ProfileOnNodes {
  /** `in force`: their agents report that they have applied it. */
  readonly state: "in force" | "degraded" | "not yet";
  /** The profile of the nodes. Another name than that of this one: it includes this one. */
  readonly by: string;
  readonly nodes: readonly string[];
}

/** Undefined where the namespace has no such Tuned. */
export function explainTuned(input: NodeTuningInput, name: string): TunedExplanation | undefined {
  const judged = judgedScopes(input).filter(({ judgement }) => tunedOf(judgement, name) !== undefined);
  const [{ judgement } = {}] = judged;
  const tuned = judgement && tunedOf(judgement, name);
  if (!tuned) return undefined;
  const rules = judgement.rules.filter((rule) => rule.tuned === name).toSorted((a, b) => a.index - b.index);
  const reached = new Set(judged.flatMap((one) => one.input.nodes.map(nameOf)));
  const beyond = input.nodes.filter((node) => isLinux(node) && !reached.has(nameOf(node))).map(nameOf);
  const elsewhere: RuleOutcome[] =
    beyond.length > 0 ? [{ outcome: "no match", because: otherPool(judged), nodes: beyond }] : [];
  const chosen = judged.flatMap((one) => one.judgement.chosen);
  return {
    tuned: name,
    managementState: judgement.managementState,
    conditions: conditionsOf(input, name),
    rules: rules.map(({ index, recommend: { profile, priority } }) => {
      const outcomes = [...judged.flatMap((one) => outcomesOf({ name, index }, one)), ...elsewhere];
      return { index, profile, priority, nodes: outcomes.toSorted((a, b) => rank(a) - rank(b)) };
    }),
    profiles: (tuned.spec?.profile ?? []).map(({ name: profile }) => ({ profile, nodes: nodesWith(profile, chosen) })),
    otherSystems: input.nodes.filter((node) => !isLinux(node)).map(nameOf),
  };
}

/** Nodes, and the Tuneds that are for them. In a hosted cluster there is one for each NodePool. */
interface Judged {
  readonly scope?: string;
  readonly input: NodeTuningInput;
  readonly judgement: Judgement;
}

function judgedScopes(input: NodeTuningInput): Judged[] {
  if (!input.mirrored) return [{ input, judgement: judge(input) }];
  return input.mirrored.scopes.map((scope) => {
    const own = { ...input, ...scope };
    return { scope: scope.name, input: own, judgement: judge(own) };
  });
}

function tunedOf({ tuneds }: Judgement, name: string): Tuned | undefined {
  return tuneds.find(({ metadata }) => metadata.name === name);
}

function otherPool(judged: readonly Judged[]): string {
  return `the Tuned is for the NodePool ${judged.map(({ scope }) => scope).join(", ")}`;
}

const order: readonly RuleVerdict["outcome"][] = ["chosen", "tied", "lower priority", "unusable", "no match"];

function rank({ outcome }: RuleOutcome): number {
  return order.indexOf(outcome);
}

/** What became of one rule of a Tuned on the nodes of a scope. */
function outcomesOf(
  of: { readonly name: string; readonly index: number },
  { input, judgement }: Judged,
): RuleOutcome[] {
  const { pools } = judgement;
  const rule = judgement.rules.find(({ tuned, index }) => tuned === of.name && index === of.index);
  if (!rule) return [];
  const chosen = new Map(judgement.chosen.map((one) => [nameOf(one.node.node), one]));
  const profiles = new Map(input.profiles.map((profile) => [nameOf(profile), profile]));
  const outcomes = input.nodes.filter(isLinux).flatMap((node) => {
    const name = nameOf(node);
    const labelled = labelledOf(node, profiles.get(name), input.podsOn?.(name) ?? []);
    const choice = chosen.get(name)?.node.choice;
    return explainRules({ rules: [rule], choice, labelled, pools, hasPools: input.pools !== undefined }).map(
      ({ outcome, because }) => {
        const lost = outcome === "lower priority" || outcome === "tied" ? choice : undefined;
        return { about: { outcome, because, ...(lost ? { instead: describeRule(lost.rule) } : {}) }, name };
      },
    );
  });
  return grouped(outcomes);
}

function nodesWith(profile: string, chosen: readonly Chosen[]): ProfileOnNodes[] {
  const having = chosen.filter(({ node }) => node.wanted.spec.profile?.some(({ name }) => name === profile));
  const about = having.map(({ node: { node, wanted, observed } }) => {
    const by = wanted.spec.config.tunedProfile;
    return { about: { state: stateOf(observed, by), by }, name: nameOf(node) };
  });
  return grouped(about);
}

function stateOf(observed: Profile | undefined, wanted: string): ProfileOnNodes["state"] {
  const { status, spec, metadata } = observed ?? {};
  if (spec?.config.tunedProfile !== wanted || status?.tunedProfile !== wanted) return "not yet";
  const { conditions, observedGeneration = metadata?.generation } = status;
  if (observedGeneration !== metadata?.generation) return "not yet";
  if (isTrue(conditions, "Degraded")) return "degraded";
  return isTrue(conditions, "Applied") ? "in force" : "not yet";
}

/** Nodes of which the same is to be said, together. */
function grouped<T extends object>(
  each: readonly { readonly about: T; readonly name: string }[],
): (T & { readonly nodes: readonly string[] })[] {
  const groups = new Map<string, { readonly about: T; readonly nodes: string[] }>();
  for (const { about, name } of each) {
    const key = JSON.stringify(about);
    const group = groups.get(key) ?? { about, nodes: [] };
    group.nodes.push(name);
    groups.set(key, group);
  }
  return Array.from(groups.values(), ({ about, nodes }) => ({ ...about, nodes }));
}

function conditionsOf(input: NodeTuningInput, name: string): TunedVerdict["conditions"] {
  const found = decideNodeTuning(input).statuses.find(({ of }) => of.kind === "Tuned" && of.metadata.name === name);
  const { conditions = [] } = (found?.status ?? {}) as NonNullable<Tuned["status"]>;
  return conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message }));
}

function nameOf({ metadata }: Pick<NodeFacts, "metadata">): string {
  return metadata.name ?? "";
}
