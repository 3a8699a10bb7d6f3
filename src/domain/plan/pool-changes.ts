import { changesBetween, isEmpty, withoutInstalled } from "../machine-config/cost/changes.ts";
import { type Cost, costOf, isHigher } from "../machine-config/cost/cost-of.ts";
import { type DisruptionPolicy, withoutCrio } from "../machine-config/cost/disruption-policy.ts";
import type { MachineConfig } from "../machine-config/api.ts";
import { emptyContents, type MachineContents } from "../machine-config/machine-contents.ts";
import { readContents } from "../machine-config/read-contents.ts";
import type { Rendering } from "../machine-config/render-pool.ts";
import { inOrder } from "../rollout/candidates.ts";
import type { Assigned } from "../rollout/members.ts";
import { lacksCrio } from "../rollout/rollout-node.ts";
import { contentChanges } from "./content-changes.ts";
import type { ChangedObject, PoolChange, PoolUpdate } from "./pool-change.ts";
import { type RenderedPool, targetOf } from "./pool-side.ts";
import { type RolloutInput, rolloutOf } from "./pool-waits.ts";

export interface PoolChangesInput extends Pick<RolloutInput, "boot" | "blocked" | "now" | "operatorNode"> {
  readonly before: ReadonlyMap<string, RenderedPool>;
  readonly after: ReadonlyMap<string, RenderedPool>;
  /** Changed objects that reach a pool. */
  readonly objectsOf: (pool: string) => readonly ChangedObject[];
  readonly policy: DisruptionPolicy;
  /** A rendered config of the cluster. */
  readonly config: (name: string) => MachineConfig | undefined;
  /** Attune rolls out pools, so that nodes say which config they have. */
  readonly isOurs: boolean;
}

/** Pools whose nodes get another config because of the change: what the operator would do without it does not count. */
export function poolChanges(input: PoolChangesInput): PoolChange[] {
  const { before, after } = input;
  const wasTarget = new Map<string, string | undefined>();
  for (const pool of before.values()) for (const { state } of pool.members) wasTarget.set(state.name, targetOf(pool));
  return [...after.keys()].toSorted().flatMap((name) => {
    const pool = after.get(name)!;
    const { rendering } = pool;
    const target = targetOf(pool);
    if (rendering?.type !== "rendered" || target === undefined) return [];
    const old = before.get(name);
    const isResumed = old?.pool.spec?.paused === true && pool.pool.spec?.paused !== true;
    const changed = inOrder(pool.members).filter(
      ({ state }) => wasTarget.get(state.name) !== target || (isResumed && state.update.current !== target),
    );
    if (changed.length === 0 && (pool.members.length > 0 || targetOf(old) === target)) return [];
    const updates = updatesOf(changed, rendering, input, old).filter(({ contents }) => contents.length > 0);
    if (updates.length === 0) return [];
    const { order, atOnce, waits } = rolloutOf({ ...input, pool, target, changed, updates });
    const place = new Map(order.map((node, at) => [node, at]));
    const ordered = updates.map((update) => ({
      ...update,
      nodes: update.nodes.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)),
    }));
    return [{ pool: name, config: target, objects: input.objectsOf(name), updates: ordered, order, atOnce, waits }];
  });
}

type Rendered = Extract<Rendering, { type: "rendered" }>;

/** Nodes with the same config and container runtime have the same update. */
function updatesOf(
  members: readonly Assigned[],
  wanted: Rendered,
  input: PoolChangesInput,
  old: RenderedPool | undefined,
): PoolUpdate[] {
  const before = old?.rendering?.type === "rendered" ? old.rendering.contents : emptyContents;
  const byConfig = new Map<string, string[]>();
  for (const { state } of members) {
    const { current, desired } = state.update;
    const key = input.isOurs ? JSON.stringify([current, desired, lacksCrio(state.node) ? "" : "CRI-O"]) : "";
    byConfig.set(key, [...(byConfig.get(key) ?? []), state.name]);
  }
  if (byConfig.size === 0) byConfig.set("", []);
  const updates = Array.from(byConfig, ([key, nodes]): PoolUpdate => {
    const [current = "", desired = "", crio = "CRI-O"] = key === "" ? [] : (JSON.parse(key) as string[]);
    const policy = crio === "" ? withoutCrio(input.policy) : input.policy;
    const contents = (name: string): MachineContents =>
      name === "" ? emptyContents : (contentsOf(input.config(name)) ?? before);
    // What an unfinished update to another config did may be in force already.
    const left =
      desired !== "" && desired !== current && desired !== wanted.config.metadata.name ? [contents(desired)] : [];
    const olds = key === "" ? [before] : [contents(current), ...left];
    return { nodes, ...updateBetween(olds, wanted.contents, { policy, isOurs: input.isOurs }) };
  });
  return joined(updates);
}

/** Where different configs come to the same, nodes are listed together. */
function joined(updates: readonly PoolUpdate[]): PoolUpdate[] {
  const bySame = new Map<string, PoolUpdate>();
  for (const update of updates) {
    const key = JSON.stringify({ ...update, nodes: [] });
    const known = bySame.get(key);
    bySame.set(key, known ? { ...known, nodes: [...known.nodes, ...update.nodes] } : update);
  }
  return [...bySame.values()];
}

function contentsOf(config: MachineConfig | undefined): MachineContents | undefined {
  if (!config) return undefined;
  const read = readContents(config.spec);
  return read.type === "contents" ? read.contents : emptyContents;
}

export function updateBetween(
  olds: readonly MachineContents[],
  wanted: MachineContents,
  { policy, isOurs }: Pick<PoolChangesInput, "policy" | "isOurs">,
): Omit<PoolUpdate, "nodes"> {
  const [first = emptyContents] = olds;
  const changes = changesBetween(first, wanted);
  const contents = isEmpty(changes) ? [] : contentChanges(first, wanted, changes);
  let highest: Cost = { level: "nothing", drain: false, actions: [], because: [] };
  for (const old of olds) {
    const between = changesBetween(old, wanted);
    const cost = costOf(isOurs ? withoutInstalled(between) : between, policy);
    if (cost.type === "problem") return { contents, ...highest, problem: cost.message };
    const { type: _, ...rest } = cost;
    if (isHigher(rest, highest)) highest = rest;
  }
  return { contents, ...highest };
}
