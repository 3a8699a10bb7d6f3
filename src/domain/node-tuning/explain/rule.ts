import { describeMatch, explainMatch, type LabelVerdict } from "./match.ts";
import type { Labelled, Labels } from "../match.ts";
import type { Pools } from "../pools.ts";
import { type Choice, holdsFor, type Rule } from "../rule.ts";

/** What came of one rule for a node. */
export interface RuleVerdict {
  readonly tuned: string;
  readonly index: number;
  readonly profile: string;
  readonly priority: number;
  /**
   * `chosen`: the first that holds. `tied`: holds with the same priority and wants another profile. `later`: holds, and
   * comes after the chosen one. `unusable`: it cannot be judged.
   */
  readonly outcome: "chosen" | "tied" | "later" | "not held" | "unusable";
  readonly because: string;
  readonly match?: readonly LabelVerdict[];
  readonly pool?: PoolVerdict;
}

/** A rule's machineConfigLabels, held against a node. */
export interface PoolVerdict {
  readonly labels: Labels;
  /** Pools that take MachineConfigs with these labels. */
  readonly selected: readonly string[];
  /** Pools of the node. */
  readonly ofNode: readonly string[];
}

export interface Tried {
  readonly rules: readonly Rule[];
  readonly choice: Choice | undefined;
  readonly labelled: Labelled;
  readonly pools: Pools;
  /** False: the cluster has no such kind. */
  readonly hasPools: boolean;
}

/** Every rule in the order in which they are tried, and why it did or did not hold. */
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
  const via = holdsFor(rule, labelled, pools);
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
      ...(pool ? [hasPools ? whyNotThrough(pool) : "the cluster has no machine config pools"] : []),
    ];
    return { outcome: "not held", because: reasons.join("; "), ...seen };
  }
  const because =
    via.type === "pool"
      ? `the node is in the pool ${via.pool}, which takes MachineConfigs with ${labelsText(machineConfigLabels ?? {})}`
      : match
        ? describeMatch(match)
        : "it holds for every node";
  return { outcome: outcomeOf(rule, choice), because, ...seen };
}

function outcomeOf(rule: Rule, choice: Choice | undefined): RuleVerdict["outcome"] {
  if (rule === choice?.rule) return "chosen";
  return choice?.ties.includes(rule) ? "tied" : "later";
}

function whyNotThrough({ labels, selected, ofNode }: PoolVerdict): string {
  if (selected.length === 0) return `no pool takes MachineConfigs with ${labelsText(labels)}`;
  const takes = selected.length > 1 ? `the pools ${selected.join(", ")} take` : `the pool ${selected[0]} takes`;
  const where = ofNode.length === 0 ? "belongs to no pool" : `is in ${ofNode.join(", ")}`;
  return `${takes} MachineConfigs with ${labelsText(labels)}, and the node ${where}`;
}

function labelsText(labels: Labels): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return all.length > 0 ? all.join(",") : "no labels";
}
