import type { MachineConfigPool } from "../machine-config/api.ts";
import { findCondition } from "../../language/object/condition.ts";
import { fallbackPool } from "./built-in-pools.ts";
import { describeBlocked, readDrain, unblocking } from "./drain/drain-record.ts";
import { describeHeld, heldOf } from "./held.ts";
import { Members } from "./members.ts";
import { describeWithoutPool } from "./nearby-nodes.ts";
import { isBehind, type NodeState } from "./node-state.ts";
import { describeConflict } from "./pool-status.ts";
import type { RolloutNode } from "./rollout-node.ts";

/** What keeps one node from having the config of its pool, or its pool from having another, each with what to do. Empty: nothing that is known. */
export function nodeWaits(node: RolloutNode, pools: readonly MachineConfigPool[]): string[] {
  const members = new Members();
  members.use(pools);
  const { state, pools: names, conflict } = members.assign(node);
  if (conflict.length > 0) return [`no pool configures it: ${describeConflict(conflict)}`];
  const fallback = pools.find(({ metadata }) => metadata.name === fallbackPool);
  if (fallback?.spec?.configuration?.name && members.near(fallbackPool, [node]).withoutPool.length > 0)
    return [describeWithoutPool(fallback, [state])];
  const pool = pools.find(({ metadata }) => metadata.name === names[0]);
  return pool ? [...rolloutWaits(state, pool), ...poolWaits(pool)] : [];
}

function rolloutWaits(state: NodeState, pool: MachineConfigPool): string[] {
  const target = pool.spec?.configuration?.name ?? "";
  if (target === "") return [];
  const blocked = readDrain(state.node)?.blocked ?? [];
  if (blocked.length > 0) return [...blocked.map(describeBlocked), ...unblocking(blocked)];
  return isBehind(state, target) ? [turnOf(state, pool)] : [];
}

/** What a node waits for that its pool has not told its config yet. */
export function turnOf(state: NodeState, pool: MachineConfigPool): string {
  const name = `pool ${pool.metadata.name}`;
  const target = pool.spec?.configuration?.name ?? "";
  if (pool.spec?.paused) return `${name} is paused: the node gets ${target} when spec.paused is false`;
  if (state.isOnlyCordoned)
    return `another client cordoned the node: it gets ${target} after kubectl uncordon ${state.name}`;
  const { desired } = state.update;
  if (desired !== "" && !state.isDone && !state.isFailing)
    return `the node finishes its update to ${desired} first: then it gets ${target}`;
  if (state.unhealthy !== undefined)
    return `the node is not ready (${state.unhealthy}): it gets ${target} when it is ready`;
  const blocked = findCondition(pool.status?.conditions, "RolloutBlocked");
  return blocked?.status === "True"
    ? `${name} cannot go on to give it ${target}: ${blocked.message}`
    : `other nodes of ${name} are updated first: then it gets ${target}`;
}

/** The node has what its pool has, and its pool does not get what it should. */
function poolWaits(pool: MachineConfigPool): string[] {
  const name = `pool ${pool.metadata.name}`;
  const held = heldOf(pool);
  const render = findCondition(pool.status?.conditions, "RenderDegraded");
  const problem = render?.message?.replace(`Failed to render configuration for ${name}: `, "") ?? "";
  return [
    ...(held && !held.released ? [`${name}: ${describeHeld(held)}`] : []),
    ...(render?.status === "True" ? [`${name} gets no other config until this is corrected: ${problem}`] : []),
  ];
}
