import { count } from "../../fleet/fleet-summary.ts";
import type { PoolView } from "./pool-view.ts";

export interface NamedPool extends Pick<
  PoolView,
  "state" | "nodes" | "updated" | "failed" | "activeCount" | "heldCount" | "waits"
> {
  readonly name: string;
}

/** How far one pool is, and what it waits for. */
export function poolSentence(pool: NamedPool): string {
  const { name, state, nodes, updated } = pool;
  const behind = nodes - updated;
  switch (state) {
    case "no config":
      return `${name}: no config is selected, ${all(nodes, "stays as it is", "stay as they are")}`;
    case "updated":
      return `${name}: ${all(nodes, "is updated", "are updated")}`;
    case "paused":
      return behind === 0
        ? `${name} is paused: ${all(nodes, "is updated", "are updated")}`
        : `${name} is paused: ${count(behind)} of ${many(nodes)} ${behind === 1 ? "lacks" : "lack"} what it should have`;
    default:
      return `${name}: ${count(updated)} of ${count(nodes)} updated${reasonOf(pool)}`;
  }
}

/** Of all pools: those that are not done, or that there are none. */
export function rolloutSentence(pools: readonly NamedPool[]): string {
  const open = pools.filter(isOpen);
  const [first] = open;
  if (first && open.length === 1) return poolSentence(first);
  if (first) return `${count(open.length)} of ${count(pools.length)} pools are not done: ${namesOf(open)}`;
  const nodes = pools.reduce((sum, pool) => sum + pool.nodes, 0);
  const paused = pools.filter(({ state }) => state === "paused");
  const rest = paused.length === 0 ? "" : `; ${namesOf(paused)} ${paused.length === 1 ? "is" : "are"} paused`;
  if (pools.length === 1) return `The pool is updated: ${many(nodes)}${rest}`;
  const every = pools.length === 2 ? "Both" : `All ${count(pools.length)}`;
  return `${every} pools are updated: ${many(nodes)}${rest}`;
}

/** Not every node has what it should have. */
export function isOpen({ state, nodes, updated }: Pick<NamedPool, "state" | "nodes" | "updated">): boolean {
  return state === "paused" ? updated < nodes : state !== "updated" && state !== "no config";
}

function reasonOf({ state, failed, activeCount, waits }: NamedPool): string {
  const of = (reason: string): number => waits.filter((one) => one.reason === reason).length;
  if (failed > 0) return `; stopped, ${many(failed)} failed`;
  if (state === "stopped") return "; stopped";
  const drains = of("DrainBlocked");
  if (drains > 0) return `; waits for ${count(drains)} ${drains === 1 ? "drain" : "drains"}`;
  if (of("WaitingForBootArguments") > 0) return "; waits for boot arguments and objects of the same change";
  const notReady = of("NodeNotReady");
  if (notReady > 0) return `; waits for ${many(notReady)} that ${notReady === 1 ? "is" : "are"} not ready`;
  const cordoned = of("NodeCordoned");
  if (cordoned > 0) return `; ${many(cordoned)} ${cordoned === 1 ? "is" : "are"} cordoned by hand`;
  return activeCount > 0 ? `, ${count(activeCount)} on the way` : "";
}

function namesOf(pools: readonly NamedPool[]): string {
  const names = pools.slice(0, 3).map(({ name }) => name);
  return `${names.join(", ")}${pools.length > 3 ? ` and ${pools.length - 3} more` : ""}`;
}

function all(nodes: number, one: string, several: string): string {
  if (nodes === 0) return "it has no nodes";
  return nodes === 1 ? `its node ${one}` : `all ${many(nodes)} ${several}`;
}

function many(nodes: number): string {
  return `${count(nodes)} ${nodes === 1 ? "node" : "nodes"}`;
}
