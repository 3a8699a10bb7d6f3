import type { Match } from "../api.ts";
import { type Labels, labelsText, type Pools } from "../../machine-config/pools.ts";
import { type Choice, hasLabel, type Labelled, matches, matchNode, type Rule } from "../rule.ts";

/** Whether one rule matches a node, and why. */
export interface RuleVerdict {
  readonly tuned: string;
  readonly index: number;
  readonly profile: string;
  readonly priority: number;
  /**
   * `chosen`: the first that matches. `tied`: matches with the same priority and has another profile. `lower priority`:
   * matches, and comes after the chosen one. `unusable`: its match tree is invalid, or no node can use its profile.
   */
  readonly outcome: "chosen" | "tied" | "lower priority" | "no match" | "unusable";
  readonly because: string;
  readonly match?: readonly LabelVerdict[];
  readonly pool?: PoolVerdict;
}

/** The pools by which a rule could match a node. */
export interface PoolVerdict {
  readonly labels: Labels;
  /** Pools whose machineConfigSelector selects these labels. */
  readonly selected: readonly string[];
  /** Pools of the node. */
  readonly ofNode: readonly string[];
}

export interface Tried {
  readonly rules: readonly Rule[];
  readonly choice: Choice | undefined;
  readonly labelled: Labelled;
  readonly pools: Pools;
  /** False: the cluster has no MachineConfigPools. */
  readonly hasPools: boolean;
}

/** Every rule in the order in which they are tried, and why it does or does not match. */
export function explainRules(tried: Tried): RuleVerdict[] {
  return tried.rules.map((rule) => {
    const { tuned, index, recommend } = rule;
    const { profile, priority } = recommend;
    return { tuned, index, profile, priority, ...verdictOn(rule, tried) };
  });
}

type Verdict = Pick<RuleVerdict, "outcome" | "because" | "match" | "pool">;

function verdictOn(rule: Rule, { choice, labelled, pools, hasPools }: Tried): Verdict {
  if (rule.problem !== undefined) return { outcome: "unusable", because: rule.problem };
  const via = matchNode(rule, labelled, pools);
  const { match: tree, machineConfigLabels } = rule.recommend;
  const match = tree?.length ? explainMatch(tree, labelled) : undefined;
  const pool = machineConfigLabels
    ? {
        labels: machineConfigLabels,
        selected: pools.selecting(machineConfigLabels),
        ofNode: pools.ofNode(labelled.node),
      }
    : undefined;
  const seen = { ...(match ? { match } : {}), ...(pool ? { pool } : {}) };
  if (!via) {
    const reasons = [
      ...(match ? [describeMatch(match)] : []),
      ...(pool ? [hasPools ? whyNoPool(pool) : "the cluster has no MachineConfigPools"] : []),
    ];
    return { outcome: "no match", because: reasons.join("; "), ...seen };
  }
  const because =
    via.type === "pool"
      ? pool?.ofNode.includes(via.pool)
        ? `the node is in the pool ${via.pool}, which takes MachineConfigs with ${labelsText(machineConfigLabels ?? {})}`
        : `the node keeps what it has by the pool ${via.pool} until only one custom pool selects it`
      : match
        ? describeMatch(match)
        : "it matches every node";
  const unusable = rule === choice?.rule ? undefined : rule.unusableOn(labelled.hostProfiles ?? []);
  if (unusable !== undefined)
    return { outcome: "unusable", because: `${because}, but ${unusable}; the rule is not used`, ...seen };
  return { outcome: outcomeOf(rule, choice), because, ...seen };
}

function outcomeOf(rule: Rule, choice: Choice | undefined): RuleVerdict["outcome"] {
  if (rule === choice?.rule) return "chosen";
  return choice?.ties.includes(rule) ? "tied" : "lower priority";
}

function whyNoPool({ labels, selected, ofNode }: PoolVerdict): string {
  if (selected.length === 0) return `no pool takes MachineConfigs with ${labelsText(labels)}`;
  const takes = selected.length > 1 ? `the pools ${selected.join(", ")} take` : `the pool ${selected[0]} takes`;
  const where = ofNode.length === 0 ? "belongs to no pool" : `is in ${ofNode.join(", ")}`;
  return `${takes} MachineConfigs with ${labelsText(labels)}, and the node ${where}`;
}

/** Whether one entry of a rule's match tree matches a node. */
export interface LabelVerdict {
  /** Absent: matches by itself. */
  readonly label?: string;
  readonly value?: string;
  readonly of: "node" | "pod";
  readonly found: "as wanted" | "different" | "missing";
  /** The values that the label has instead. */
  readonly instead?: readonly string[];
  /** Whether it matches, together with the entries below it. */
  readonly matches: boolean;
  /** Of which one must match as well. */
  readonly match?: readonly LabelVerdict[];
}

/** Only for trees of rules without a `problem`. */
export function explainMatch(rules: readonly Match[], labelled: Labelled): LabelVerdict[] {
  return rules.map((rule) => {
    const { label, value, type, match } = rule;
    const named = typeof label === "string";
    const instead = named && !hasLabel(rule, labelled) ? valuesOf(label, type, labelled) : [];
    return {
      ...(named ? { label } : {}),
      ...(typeof value === "string" ? { value } : {}),
      of: type === "pod" ? "pod" : "node",
      found: hasLabel(rule, labelled) ? "as wanted" : instead.length > 0 ? "different" : "missing",
      ...(instead.length > 0 ? { instead } : {}),
      matches: matches([rule], labelled),
      ...(match?.length ? { match: explainMatch(match, labelled) } : {}),
    };
  });
}

function valuesOf(label: string, type: string | undefined, { node, pods }: Labelled): string[] {
  const among = (labels: Labels): string[] => (Object.hasOwn(labels, label) ? [labels[label] ?? ""] : []);
  return [...new Set(type === "pod" ? pods.flatMap(among) : among(node))].toSorted();
}

/** Why one of several matches, or why none does: clauses for use after "because". */
export function describeMatch(verdicts: readonly LabelVerdict[]): string {
  const matching = verdicts.find((verdict) => verdict.matches);
  return matching ? describeMatching(matching) : verdicts.map(describeMissed).join("; ");
}

function describeMatching(verdict: LabelVerdict): string {
  const below = verdict.match?.find((one) => one.matches);
  const rest = below ? [describeMatching(below)] : [];
  if (verdict.label === undefined) return rest[0] ?? "it names no label";
  const who = verdict.of === "pod" ? "a pod on the node has" : "the node has";
  return [`${who} ${labelText(verdict)}`, ...rest].join(", ");
}

function describeMissed({ label = "", value, of, found, instead = [], match = [] }: LabelVerdict): string {
  if (found === "as wanted") {
    const below = match.map(describeMissed).join("; ");
    return label === "" ? below : `${labelText({ label, value })} is present, but ${below}`;
  }
  if (found === "missing")
    return of === "pod" ? `no pod on the node has ${labelText({ label })}` : `${labelText({ label })} is missing`;
  const values = instead.map((one) => JSON.stringify(one)).join(", ");
  return `${of === "pod" ? "on pods " : ""}${labelText({ label })} is ${values}, not ${JSON.stringify(value)}`;
}

function labelText({ label = "", value }: { label?: string | undefined; value?: string | undefined }): string {
  return value === undefined || value === "" ? `label ${label}` : `label ${label}=${value}`;
}
