import { findCondition } from "../../../language/object/condition.ts";
import { splitArguments } from "../../../language/tuned/boot-arguments.ts";
import { bootArgumentsAnnotation, inputsAnnotation, type Profile, type ProfileSpec, type Protocol } from "../api.ts";
import { inputsOf, type NodeFacts } from "../node-profile.ts";
import type { Pools } from "../../machine-config/pools.ts";
import type { Choice, Rule } from "../rule.ts";
import { isPossible, type PossibleArguments, possibleArguments } from "./possible-arguments.ts";

/** A node, the rule chosen for it, the Profile it should have, and the Profile it has. */
export interface ChosenNode {
  readonly node: NodeFacts;
  readonly choice: Choice;
  readonly wanted: Profile;
  readonly observed: Profile | undefined;
}

/** Whether the nodes of a pool agree on boot arguments. */
export interface PoolArguments {
  readonly pool: string;
  /** The first rule chosen by the pool, whose labels the MachineConfig gets. */
  readonly rule: Rule;
  readonly outcome: PoolOutcome;
}

export type PoolOutcome =
  | { readonly type: "agreed"; readonly arguments: readonly string[] }
  /** These nodes have not reported for the Profile that they should have. */
  | { readonly type: "waiting"; readonly nodes: readonly string[] }
  /** None of the nodes has applied its profile: their reports may still change. */
  | { readonly type: "unapplied" }
  | { readonly type: "conflict"; readonly values: ReadonlyMap<string, readonly string[]> }
  /** Nodes report arguments that their profile cannot yield. */
  | { readonly type: "impossible"; readonly values: ReadonlyMap<string, readonly string[]> };

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

/** What nodes can report for a Profile. */
export type Possible = (spec: ProfileSpec) => PossibleArguments;

/** For reports that no node sent. */
export const trusted: Possible = () => ({ type: "any" });

/** For every pool by which a rule is chosen. */
export function poolArguments(
  chosen: readonly ChosenNode[],
  pools: Pools,
  protocol: Protocol,
  possible: Possible = possibleArguments,
): PoolArguments[] {
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
  const judge = judging(protocol, possible);
  return Array.from(rules, ([pool, rule]) => {
    // A rule may be chosen by a pool that is not the first of the node: its arguments reach that pool too.
    const nodes = [...new Set([...(members.get(pool) ?? []), ...(winners.get(pool) ?? [])])];
    return { pool, rule, outcome: outcomeOf(nodes, winners.get(pool) ?? [], judge) };
  }).toSorted((a, b) => (a.pool < b.pool ? -1 : 1));
}

/** The pool that a rule's labels select, if it is the only one. */
function poolOf({ rule, via }: Choice, pools: Pools): string | undefined {
  if (via.type !== "pool") return undefined;
  const selected = pools.selecting(rule.recommend.machineConfigLabels ?? {});
  return selected.length === 1 ? selected[0] : undefined;
}

interface Judged {
  readonly name: string;
  readonly line: string;
  /** For the Profile that the node should have. */
  readonly isCurrent: boolean;
  readonly isPossible: boolean;
}

function outcomeOf(
  nodes: readonly ChosenNode[],
  winners: readonly ChosenNode[],
  judge: (node: ChosenNode) => Judged,
): PoolOutcome {
  const reports = nodes.map((one) => ({ ...judge(one), isReady: isReady(one.node) }));
  // While no node of the rule is ready, as when the only node of a pool restarts, the pool waits for all of them.
  const noneReady = !winners.some(({ node }) => isReady(node));
  const late = reports.filter((one) => (noneReady || one.isReady) && !one.isCurrent);
  if (late.length > 0) return { type: "waiting", nodes: late.map(({ name }) => name).toSorted() };
  // A node that is away must agree too if it has reported: otherwise the nodes that are left decide for it.
  const current = reports.filter(({ isCurrent }) => isCurrent);
  const impossible = byLine(current.filter((one) => !one.isPossible));
  if (impossible.size > 0) return { type: "impossible", values: impossible };
  const values = byLine(current);
  if (values.size > 1) return { type: "conflict", values };
  if (!winners.some(isApplied)) return { type: "unapplied" };
  return { type: "agreed", arguments: splitArguments(current[0]?.line ?? "") };
}

function byLine(reports: readonly Judged[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { line, name } of reports) append(values, splitArguments(line).join(" "), name);
  return values;
}

/**
 * Nodes with the same Profile can report the same, and most do. Bounds take milliseconds to compute, and only current
 * reports are held to them: an edit writes its Profiles first, and their bounds are computed for the first report.
 */
function judging(protocol: Protocol, possible: Possible): (node: ChosenNode) => Judged {
  const known = new Map<string, { readonly bounds: PossibleArguments; readonly lines: Map<string, boolean> }>();
  const isWithinBounds = (line: string, spec: ProfileSpec, key: string): boolean => {
    const { bounds, lines } = known.get(key) ?? { bounds: possible(spec), lines: new Map() };
    known.set(key, { bounds, lines });
    const isKnown = lines.get(line) ?? isPossible(line, bounds);
    lines.set(line, isKnown);
    return isKnown;
  };
  return (one) => {
    const { inputs, line } = reportOf(one, protocol);
    const { spec, metadata } = one.wanted;
    const key = inputsOf(spec);
    const isCurrent = inputs === (protocol === "documented" ? key : (metadata.annotations?.[inputsAnnotation] ?? ""));
    return { name: nameOf(one), line, isCurrent, isPossible: isCurrent && isWithinBounds(line, spec, key) };
  };
}

/** A pool does not wait for a node that is not ready. A node without the condition counts as ready. */
function isReady({ status }: NodeFacts): boolean {
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
