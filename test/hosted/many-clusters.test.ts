import { expect, it } from "vitest";
import { eventually } from "../node-tuning/eventually.ts";
import { ManyClusters, nodePoolNames } from "./many-clusters.ts";

const isLong = Boolean(process.env["ATTUNE_LONG"]);
if (!isLong) console.log("not run: 50 hosted clusters with 1,000 nodes (only with ATTUNE_LONG)");

const nodes = 10;
const hour = 3_600_000;

/** Changes the Tuned of every NodePool; how often each was decided about until all nodes had it. */
async function passesOfChange(world: ManyClusters, value: string): Promise<number> {
  const before = await world.passes();
  const clusters = [...world.hosted.keys()];
  await Promise.all(clusters.flatMap((name) => nodePoolNames.map((pool) => world.tune(name, pool, value))));
  await eventually(`all nodes have ${value}`, async () => (await world.without(value)).length === 0, hour);
  return ((await world.passes()) - before) / (clusters.length * nodePoolNames.length);
}

it.runIf(isLong)(
  "50 hosted clusters with two NodePools of ten nodes each follow a change in each, with the work that two need",
  { timeout: hour },
  async () => {
    const world = await ManyClusters.start();
    const add = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index++) await world.addCluster(`hosted-${index}`, nodes);
      await eventually("all nodes have 11", async () => (await world.without("11")).length === 0, hour);
    };
    await add(0, 2);
    const ofTwo = await passesOfChange(world, "12");
    await passesOfChange(world, "11");
    await add(2, 50);
    const ofMany = await passesOfChange(world, "13");
    console.log(`decisions for each NodePool: ${ofTwo} with 2 hosted clusters, ${ofMany} with 50`);
    expect(world.hosted.size).toBe(50);
    expect(ofMany).toBeLessThanOrEqual(Math.max(ofTwo, 2) * 1.5);
  },
);
