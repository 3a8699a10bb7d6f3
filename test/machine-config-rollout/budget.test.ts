import { expect, test } from "vitest";
import { file, isUnavailable, RolloutCluster, withFiles } from "./rollout-cluster.ts";

const pools = ["worker", "blue", "green", "red"];
/** Of each pool. The long run has 200 nodes. */
const { members, percent } = process.env["ATTUNE_LONG"] ? { members: 50, percent: 10 } : { members: 10, percent: 20 };
const budget = (members * percent) / 100;

test(`of ${4 * members} nodes in 4 pools at ${percent} % never more than ${budget} of a pool are unavailable, and each restarts once`, async () => {
  const named = (pool: string): string[] => Array.from({ length: members }, (_, index) => `${pool}-${index}`);
  const cluster = await RolloutCluster.start({ nodes: Object.fromEntries(pools.map((pool) => [pool, named(pool)])) });
  for (const pool of pools) await cluster.createPool(pool, { maxUnavailable: `${percent}%` });
  cluster.startOperator();
  await cluster.until("all nodes have an agent", async () => (await cluster.agents()) === pools.length * members);

  const unavailable = new Map(pools.map((pool) => [pool, new Set<string>()]));
  const exceeded: string[] = [];
  let most = 0;
  cluster.onNode(({ object }) => {
    const { name = "" } = object.metadata;
    const own = unavailable.get(name.slice(0, name.lastIndexOf("-"))) ?? new Set();
    if (isUnavailable(object)) own.add(name);
    else own.delete(name);
    most = Math.max(most, own.size);
    if (own.size > budget) exceeded.push(`${name}: ${[...own].join(", ")}`);
  });
  await cluster.apply("50-own", "worker", withFiles(file("/etc/own.conf", "x")));
  for (const pool of pools) await cluster.updated(pool, ["50-own"]);
  expect(exceeded).toEqual([]);
  // The budget is used, too.
  expect(most).toBe(budget);
  expect(new Set(Object.values(cluster.reboots()))).toEqual(new Set([1]));
}, 900_000);
