import { type Condition, findCondition } from "../../../language/object/condition.ts";
import type { Answers, Probe } from "../../../language/tuned/probe.ts";
import { formatProblem } from "../../../language/tuned/problem.ts";
import type { Deferred, Profile, ProfileSpec, Tuned } from "../api.ts";
import { carries, type NodeFacts } from "../node-profile.ts";
import { decideNodeTuning, type NodeTuningInput } from "../decide.ts";
import { type Expected, expectedProfile } from "../expected-profile.ts";
import { type BootExplanation, explainBoot } from "./boot.ts";
import {
  type ChainEntry,
  type Evidence,
  explainChain,
  explainSettings,
  type FoundSetting,
  type SettingExplanation,
} from "./settings.ts";
import { explainHardware, type HardwareExplanation } from "./hardware.ts";
import { explainRules, type RuleVerdict } from "./rule.ts";
import { type Chosen, judge, type Judgement } from "../judge.ts";
import { labelledOf } from "../rule.ts";

export interface ExplainInput extends NodeTuningInput {
  readonly node: NodeFacts;
  /** What the cluster knows of the node, as in a plan. */
  readonly answers?: Answers | undefined;
  /** The values that the node has, where they could be read. */
  readonly found?: Found | undefined;
}

export interface Found {
  readonly expected: Expected;
  readonly settings: readonly FoundSetting[];
}

/** Why a node has its profile, and what the profile sets. */
export interface NodeExplanation {
  readonly node: string;
  /** Absent: the node gets none. */
  readonly profile?: string;
  /** Why the chosen profile is not in force. */
  readonly obstacles: readonly string[];
  readonly pools: readonly string[];
  readonly deferred?: Deferred;
  readonly reported?: NodeReport;
  /** The agent's report may be out of date. */
  readonly notReady?: true;
  readonly hardware?: HardwareExplanation;
  /** In the order in which they are tried. */
  readonly rules: readonly RuleVerdict[];
  readonly tuneds: readonly TunedVerdict[];
  /** Profiles in the order in which they are merged. */
  readonly chain: readonly ChainEntry[];
  readonly settings: readonly SettingExplanation[];
  /** Probes that the cluster cannot answer for the node. */
  readonly unresolved: readonly Probe[];
  readonly warnings: readonly string[];
  readonly boot?: BootExplanation;
}

/** What the agent reported. */
export interface NodeReport {
  /** The profile in force. */
  readonly profile: string;
  /** Whether it is about the profile that the node should have now. */
  readonly current: boolean;
  readonly conditions: readonly Condition[];
}

export interface TunedVerdict {
  readonly name: string;
  readonly conditions: readonly Pick<Condition, "type" | "status" | "reason" | "message">[];
}

export function explainNode(input: ExplainInput): NodeExplanation {
  const { node } = input;
  const name = node.metadata.name ?? "";
  const judged = scopeOfNode(input, name);
  const judgement = judge(judged);
  const { rules, pools, managementState } = judgement;
  const has = input.profiles.find(({ metadata }) => metadata.name === name);
  const { status } = has ?? {};
  const labelled = labelledOf(node, has, input.podsOn?.(name) ?? []);
  const chosen = judgement.chosen.find((one) => one.node.node.metadata.name === name);
  const hasPools = judged.pools !== undefined;
  const verdicts = chosen ? explainRules({ rules, choice: chosen.node.choice, labelled, pools, hasPools }) : [];
  const hardware = explainHardware(status?.hardware);
  const base = {
    node: name,
    pools: pools.ofNode(labelled.node),
    ...(isNotReady(node) ? ({ notReady: true } as const) : {}),
    ...(hardware ? { hardware } : {}),
    rules: verdicts,
    tuneds: tunedVerdicts(input, verdicts),
  };
  // The last rule of the default Tuned matches every Linux node.
  if (!chosen)
    return { ...base, ...nothing, obstacles: ["Only nodes with the label kubernetes.io/os=linux are tuned."] };

  const { wanted, observed, choice } = chosen.node;
  const spec = chosen.undecided && observed ? observed.spec : wanted.spec;
  const expected = input.found?.expected ?? expectedProfile(spec, input.answers, status?.hostProfiles);
  const current = observed !== undefined && isCurrent(observed, spec);
  const boot = explainBoot({
    wanted: expected.type === "resolved" ? expected.profile.bootArguments : [],
    node: chosen.node,
    chosen: judgement.chosen.map((one) => one.node),
    pools,
    machineConfigs: input.machineConfigs ?? [],
    protocol: input.protocol,
  });
  return {
    ...base,
    profile: spec.config.tunedProfile,
    obstacles: obstacles(chosen, managementState, expected),
    ...(choice.rule.deferred ? { deferred: choice.rule.deferred } : {}),
    ...(observed?.status ? { reported: reportOf(observed, current) } : {}),
    ...(expected.type === "invalid"
      ? nothing
      : {
          chain: explainChain(expected.profile, spec, judgement.tuneds),
          settings: explainSettings(expected.profile, evidenceOf(input, observed, current), input.answers),
          unresolved: expected.unresolved,
          warnings: expected.profile.warnings.map(formatProblem),
        }),
    ...(boot ? { boot } : {}),
  };
}

/** The Tuneds that are for a node. In a hosted cluster they are those of its NodePool. */
export function scopeOfNode(input: NodeTuningInput, node: string): NodeTuningInput {
  const scope = input.mirrored?.scopes.find(({ nodes }) => nodes.some(({ metadata }) => metadata.name === node));
  return scope ? { ...input, ...scope } : input;
}

function isNotReady({ status }: NodeFacts): boolean {
  return status?.conditions?.some((condition) => condition.type === "Ready" && condition.status !== "True") ?? false;
}

const nothing = { chain: [], settings: [], unresolved: [], warnings: [] };

function evidenceOf({ found }: ExplainInput, observed: Profile | undefined, current: boolean): Evidence {
  if (found) return { type: "found", settings: found.settings };
  return observed ? { type: "reported", profile: observed, current } : { type: "none" };
}

/** The Profile is as wanted, and the status is about it. */
function isCurrent({ spec, status, metadata }: Profile, wanted: ProfileSpec): boolean {
  return (
    carries(spec, wanted) &&
    status?.tunedProfile === wanted.config.tunedProfile &&
    (status.observedGeneration === undefined || status.observedGeneration === metadata.generation)
  );
}

function reportOf({ status }: Profile, current: boolean): NodeReport {
  const conditions = ["Applied", "Degraded"].flatMap((type) => findCondition(status?.conditions, type) ?? []);
  return { profile: status?.tunedProfile ?? "", current, conditions };
}

function obstacles(
  { node: { wanted, observed }, undecided, keeps }: Chosen,
  state: Judgement["managementState"],
  expected: Expected,
): string[] {
  const found: string[] = [];
  if (keeps !== undefined) found.push(`${keeps}: the node keeps the text that it has.`);
  if (state === "Removed") found.push("Tuning is removed: managementState of the Tuned default is Removed.");
  if (state === "Unmanaged") found.push("Profiles are not updated: managementState of the Tuned default is Unmanaged.");
  if (undecided)
    found.push(
      observed
        ? "A profile it needs is defined differently in several places: the node keeps its current profile."
        : "A profile it needs is defined differently in several places: the node gets none until this is resolved.",
    );
  else if (state === "Managed" && !observed) found.push("It has no Profile yet: is the operator running?");
  else if (state === "Managed" && observed && !carries(observed.spec, wanted.spec))
    found.push(`Its Profile is out of date (it has ${observed.spec.config.tunedProfile}): is the operator running?`);
  if (expected.type === "invalid") found.push(...expected.problems.map(formatProblem));
  return found;
}

/** Tuneds with a rule that matches, or with a message in their status. */
function tunedVerdicts(input: NodeTuningInput, verdicts: readonly RuleVerdict[]): TunedVerdict[] {
  const matching = new Set(verdicts.filter(({ outcome }) => outcome !== "no match").map(({ tuned }) => tuned));
  return decideNodeTuning(input).statuses.flatMap(({ of, status }) => {
    const { name = "" } = of.metadata;
    if (of.kind !== "Tuned") return [];
    const { conditions = [] } = status as NonNullable<Tuned["status"]>;
    const isPlain = conditions.every(({ status: said, message }) => said === "True" && message === "");
    if (isPlain && !matching.has(name)) return [];
    const shown = conditions.map(({ type, status: said, reason, message }) => ({
      type,
      status: said,
      reason,
      message,
    }));
    return [{ name, conditions: shown }];
  });
}
