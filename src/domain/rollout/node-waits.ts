import type { MachineConfigPool } from "../machine-config/api.ts";
import { findCondition } from "../../language/object/condition.ts";
import { fallbackPool } from "./built-in-pools.ts";
import { describeBlocked, readDrain } from "./drain/drain-record.ts";
import { Members } from "./members.ts";
import { describeWithoutPool } from "./nearby-nodes.ts";
import { isBehind } from "./node-state.ts";
import { describeConflict } from "./pool-status.ts";
import type { RolloutNode } from "./rollout-node.ts";

/** What keeps one node from having the config of its pool, each with what to do. Empty: nothing that is known. */
export function nodeWaits(node: RolloutNode, pools: readonly MachineConfigPool[]): string[] {
  const members = new Members();
  members.use(pools);
  const { state, pools: names, conflict } = members.assign(node);
  if (conflict.length > 0) return [describeConflict(conflict)];
  const fallback = pools.find(({ metadata }) => metadata.name === fallbackPool);
  if (fallback?.spec?.configuration?.name && members.near(fallbackPool, [node]).withoutPool.length > 0)
    return [describeWithoutPool(fallback, [state])];
  const pool = pools.find(({ metadata }) => metadata.name === names[0]);
  const target = pool?.spec?.configuration?.name ?? "";
  if (!pool || target === "") return [];
  const blocked = (readDrain(node)?.blocked ?? []).map(describeBlocked);
  if (blocked.length > 0 || !isBehind(state, target)) return blocked;
  const name = `pool ${names[0]}`;
  if (pool.spec?.paused) return [`${name} is paused: it does not get ${target}`];
  if (state.isOnlyCordoned)
    return [`was cordoned by another client and does not get ${target}: kubectl uncordon ${state.name}`];
  const reason = findCondition(pool.status?.conditions, "RolloutBlocked");
  const why = reason?.status === "True" ? `: ${reason.message}` : "";
  return [`its turn in ${name} to get ${target} has not come${why}`];
}
