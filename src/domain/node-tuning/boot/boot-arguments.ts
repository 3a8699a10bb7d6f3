import { findCondition } from "../../../language/object/condition.ts";
import { bootArgumentsAnnotation, inputsAnnotation, type Profile, type Protocol } from "../api.ts";
import { inputsOf } from "../inputs.ts";
import { splitArguments } from "./kernel-arguments.ts";
import type { NodeFacts } from "../node-profile.ts";
import type { Pools } from "../pools.ts";
import type { Choice, Rule } from "../rule.ts";

/** A node, what was chosen for it, and what its Profile says as far as it is there. */
export interface ChosenNode {
  readonly node: NodeFacts;
  readonly choice: Choice;
  readonly wanted: Profile;
  readonly observed: Profile | undefined;
}

/** What the nodes of a pool want of their boot loaders. */
export interface PoolArguments {
  readonly pool: string;
  /** The first rule that wins through the pool, whose labels its MachineConfig gets. */
  readonly rule: Rule;
  readonly outcome: PoolOutcome;
}

export type PoolOutcome =
  | { readonly type: "agreed"; readonly arguments: readonly string[] }
  /** These have not reported for what they are to have now. */
  | { readonly type: "waiting"; readonly nodes: readonly string[] }
  /** None of the nodes has applied its profile: what they report may still change. */
  | { readonly type: "unapplied" }
  | { readonly type: "conflict"; readonly values: ReadonlyMap<string, readonly string[]> };

interface Report {
  readonly inputs: string | undefined;
  readonly line: string;
}

export function reportOf({ node, observed }: ChosenNode, protocol: Protocol): Report {
  if (protocol === "documented")
    return { inputs: observed?.status?.bootcmdlineInputs, line: observed?.status?.bootcmdline ?? "" };
  const { annotations = {} } = node.metadata;
  return { inputs: annotations[inputsAnnotation], line: annotations[bootArgumentsAnnotation] ?? "" };
}

/** What each pool agrees on, for every pool through which a rule wins. */
export function poolArguments(chosen: readonly ChosenNode[], pools: Pools, protocol: Protocol): PoolArguments[] {
  const rules = new Map<string, Rule>();
  const winners = new Map<string, ChosenNode[]>();
  const members = new Map<string, ChosenNode[]>();
  for (const one of chosen) {
    const [primary] = pools.ofNode(one.node.metadata.labels ?? {});
    if (primary !== undefined) append(members, primary, one);
    const pool = poolOf(one.choice, pools);
    if (pool === undefined) continue;
    append(winners, pool, one);
    const known = rules.get(pool);
    if (!known || isBefore(one.choice.rule, known)) rules.set(pool, one.choice.rule);
  }
  return Array.from(rules, ([pool, rule]) => {
    // A node may win through a pool that is not its first: its arguments would reach the pool all the same.
    const nodes = [...new Set([...(members.get(pool) ?? []), ...(winners.get(pool) ?? [])])];
    return { pool, rule, outcome: outcomeOf(nodes, winners.get(pool) ?? [], protocol) };
  }).toSorted((a, b) => (a.pool < b.pool ? -1 : 1));
}

/** The one pool that a rule's labels select; several are nobody's intention. */
function poolOf({ rule, via }: Choice, pools: Pools): string | undefined {
  if (via.type !== "pool") return undefined;
  const selected = pools.selecting(rule.recommend.machineConfigLabels ?? {});
  return selected.length === 1 ? selected[0] : undefined;
}

function outcomeOf(nodes: readonly ChosenNode[], winners: readonly ChosenNode[], protocol: Protocol): PoolOutcome {
  // While all are away that the rule is for, as the only node of a pool is when it restarts, what was said last holds.
  const isDeserted = !winners.some(({ node }) => isAround(node));
  const counted = isDeserted ? nodes : nodes.filter(({ node }) => isAround(node));
  const late = counted.filter((one) => reportOf(one, protocol).inputs !== currentInputs(one, protocol));
  if (late.length > 0) return { type: "waiting", nodes: late.map(nameOf).toSorted() };
  const values = new Map<string, string[]>();
  for (const one of counted) append(values, splitArguments(reportOf(one, protocol).line).join(" "), nameOf(one));
  if (values.size > 1) return { type: "conflict", values };
  if (!winners.some(isApplied)) return { type: "unapplied" };
  const [first] = counted;
  return { type: "agreed", arguments: first ? splitArguments(reportOf(first, protocol).line) : [] };
}

function currentInputs({ wanted }: ChosenNode, protocol: Protocol): string {
  return protocol === "documented" ? inputsOf(wanted.spec) : (wanted.metadata.annotations?.[inputsAnnotation] ?? "");
}

/** A node that is away reports nothing, and a pool does not wait for it. One that never said how it is counts. */
function isAround({ status }: NodeFacts): boolean {
  const ready = findCondition(status?.conditions, "Ready");
  return ready === undefined || ready.status === "True";
}

export function isApplied({ wanted, observed }: ChosenNode): boolean {
  const { status } = observed ?? {};
  return (
    status?.tunedProfile === wanted.spec.config.tunedProfile &&
    findCondition(status.conditions, "Applied")?.status === "True"
  );
}

function isBefore(a: Rule, b: Rule): boolean {
  if (a.recommend.priority !== b.recommend.priority) return a.recommend.priority < b.recommend.priority;
  return a.tuned === b.tuned ? a.index < b.index : a.tuned < b.tuned;
}

function nameOf({ node }: ChosenNode): string {
  return node.metadata.name ?? "";
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
