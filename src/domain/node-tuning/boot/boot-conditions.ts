import type { Condition } from "../../../language/object/condition.ts";
import type { Protocol } from "../api.ts";
import { type ChosenNode, isApplied, type PoolArguments, type PoolOutcome, reportOf } from "./boot-arguments.ts";
import { machineConfigName } from "./machine-configs.ts";
import type { Pools } from "../../machine-config/pools.ts";
import { describeRule, type Rule } from "../rule.ts";

export type BootCondition = Pick<Condition, "status" | "reason" | "message">;

/** The most urgent reason first. */
const order = [
  "ImpossibleArguments",
  "MCLabelsAcrossMCPs",
  "ProfileConflict",
  "WonThroughMatch",
  "WaitingForNodes",
  "Agreed",
];

/** What happened to boot arguments, for each Tuned whose rules have some: the most urgent condition. */
export function bootConditions(
  chosen: readonly ChosenNode[],
  agreed: readonly PoolArguments[],
  pools: Pools,
  protocol: Protocol,
): Map<string, BootCondition> {
  const found = new Map<string, BootCondition>();
  const add = (tuned: string, condition: BootCondition): void => {
    const known = found.get(tuned);
    if (!known || order.indexOf(condition.reason) < order.indexOf(known.reason)) found.set(tuned, condition);
  };
  for (const { pool, rule, outcome } of agreed) {
    const condition = conditionOf(pool, outcome);
    if (condition) add(rule.tuned, condition);
  }
  for (const rule of acrossPools(chosen, pools)) {
    const names = pools.selecting(rule.recommend.machineConfigLabels ?? {});
    const message = `${describeRule(rule)}: its machineConfigLabels select the pools ${names.join(", ")}; boot arguments need labels that select one pool.`;
    add(rule.tuned, { status: "False", reason: "MCLabelsAcrossMCPs", message });
  }
  for (const [rule, nodes] of dropped(chosen, protocol)) {
    const [first] = nodes;
    const more = nodes.length > 1 ? ` and ${nodes.length - 1} more` : "";
    const message = `${describeRule(rule)} matches node ${first?.name}${more} by match, so the boot arguments ${JSON.stringify(first?.line)} reach no node: only rules with machineConfigLabels and no match apply to a whole pool.`;
    add(rule.tuned, { status: "False", reason: "WonThroughMatch", message });
  }
  return found;
}

/** Applied rules whose labels select more than one pool. */
export function acrossPools(chosen: readonly ChosenNode[], pools: Pools): Rule[] {
  const inForce = chosen.filter((one) => one.choice.via.type === "pool" && isApplied(one));
  const rules = new Set(inForce.map(({ choice }) => choice.rule));
  return [...rules].filter(({ recommend }) => pools.selecting(recommend.machineConfigLabels ?? {}).length > 1);
}

function conditionOf(pool: string, outcome: PoolOutcome): BootCondition | undefined {
  switch (outcome.type) {
    case "agreed":
      if (outcome.arguments.length === 0) return undefined;
      return {
        status: "True",
        reason: "Agreed",
        message: `MachineConfig ${machineConfigName(pool)}: ${outcome.arguments.join(" ")}`,
      };
    case "unapplied":
      return {
        status: "False",
        reason: "WaitingForNodes",
        message: `No node of the pool ${pool} has applied its profile yet.`,
      };
    case "waiting": {
      const [first, ...more] = outcome.nodes;
      const others = more.length > 0 ? ` and ${more.length} more` : "";
      const message = `The pool ${pool} waits for node ${first}${others}: no boot arguments reported for the current profile.`;
      return { status: "False", reason: "WaitingForNodes", message };
    }
    case "conflict": {
      const message = `Nodes of the pool ${pool} want different boot arguments: ${sidesOf(outcome.values)}. The MachineConfig stays as it is until they agree.`;
      return { status: "False", reason: "ProfileConflict", message };
    }
    case "impossible": {
      const message = `Nodes of the pool ${pool} report boot arguments that their profile cannot yield: ${sidesOf(outcome.values)}. The MachineConfig stays as it is. Check whether these nodes are compromised.`;
      return { status: "False", reason: "ImpossibleArguments", message };
    }
  }
}

function sidesOf(values: ReadonlyMap<string, readonly string[]>): string {
  const sides = Array.from(values, ([line, [first, ...more]]) => {
    const others = more.length > 0 ? ` and ${more.length} more` : "";
    const shown = line.length > 500 ? `${line.slice(0, 500)}…` : line;
    return `${JSON.stringify(shown)} on ${first}${others}`;
  });
  return sides.slice(0, 5).join("; ");
}

/** Rules chosen by match on nodes that report boot arguments for them: these arguments reach no MachineConfig. */
function dropped(chosen: readonly ChosenNode[], protocol: Protocol): Map<Rule, { name: string; line: string }[]> {
  const rules = new Map<Rule, { name: string; line: string }[]>();
  for (const one of chosen) {
    const { rule, via } = one.choice;
    if (via.type !== "match") continue;
    const { line } = reportOf(one, protocol);
    if (line.trim() === "" || one.observed?.status?.tunedProfile !== rule.recommend.profile) continue;
    const nodes = rules.get(rule) ?? [];
    nodes.push({ name: one.node.metadata.name ?? "", line });
    rules.set(rule, nodes);
  }
  return rules;
}
