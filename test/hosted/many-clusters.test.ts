import { expect, it } from "vitest";
import { forEachBounded } from "../../src/cluster/runtime/for-each-bounded.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { hour, ManyClusters, nodePoolNames, type Work } from "./many-clusters.ts";

const isLong = Boolean(process.env["ATTUNE_LONG"]);
if (!isLong) console.log("not run: 50 hosted clusters with 1,000 nodes (only with ATTUNE_LONG)");

const many = Number(process.env["ATTUNE_HOSTED_CLUSTERS"] ?? "50");
const nodes = 10;
/** For a change of one NodePool. */
const mostDecisions = 10;
const mostWrites = 5;
const first = { cluster: "hosted-0", pool: "one" };

it.runIf(isLong)(
  `${many} hosted clusters with two NodePools of ten nodes each follow a change in each, with the work that two need`,
  { timeout: hour },
  async () => {
    const world = await ManyClusters.start();
    const started = Date.now();
    const say = (text: string): void => {
      const { rss } = process.memoryUsage();
      console.log(`${Math.round((Date.now() - started) / 1000)} s, ${Math.round(rss / 2 ** 20)} MiB here: ${text}`);
    };
    const converged = async (value: string): Promise<void> => {
      await eventually(
        `all nodes have ${value}`,
        async () => world.having(value) === world.hosted.size * nodes * 2,
        hour,
      );
      await world.settled();
    };
    const add = async (from: number, to: number): Promise<void> => {
      const indexes = Array.from({ length: to - from }, (_, index) => from + index);
      // Programs that start at once keep each other from starting.
      await forEachBounded(indexes, 2, (index) => world.addCluster(`hosted-${index}`, nodes, "11"));
      await converged("11");
      say(`${world.hosted.size} hosted clusters have converged`);
    };
    /** For each NodePool that is changed. */
    const workOf = async (count: number, change: () => Promise<void>): Promise<Work> => {
      const before = await world.work();
      await change();
      const { decisions, writes } = await world.work();
      const work = { decisions: (decisions - before.decisions) / count, writes: (writes - before.writes) / count };
      say(`${count} of ${world.hosted.size * 2} NodePools changed: ${JSON.stringify(work)} for each`);
      return work;
    };
    const all = (value: string): Promise<Work> =>
      workOf(world.hosted.size * 2, async () => {
        const clusters = [...world.hosted.keys()];
        await Promise.all(clusters.flatMap((name) => nodePoolNames.map((pool) => world.tune(name, pool, value))));
        await converged(value);
      });
    const one = async (value: string): Promise<Work> => {
      const others = await world.versionsBeside(first);
      const work = await workOf(1, async () => {
        await world.tune(first.cluster, first.pool, value);
        await eventually(
          `nodes of the first NodePool have ${value}`,
          async () => world.having(value, first) === nodes,
          hour,
        );
        await world.settled();
      });
      expect(await world.versionsBeside(first)).toEqual(others);
      return work;
    };

    await add(0, 2);
    const few = [await one("12"), await all("13")];
    await all("11");
    await add(2, many);
    const lots = [await one("14"), await all("15")];
    expect(world.hosted.size).toBe(many);
    // One decision for each event about the NodePool, and one write for each object that changes: a decision that
    // concerned other NodePools would be made a hundred times.
    for (const { decisions, writes } of [...few, ...lots]) {
      expect(decisions).toBeLessThanOrEqual(mostDecisions);
      expect(writes).toBeLessThanOrEqual(mostWrites);
    }
  },
);
