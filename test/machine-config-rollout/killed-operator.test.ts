import { expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { bootsOf } from "./observed.ts";
import { file, RolloutCluster, withFiles } from "./rollout-cluster.ts";

/** The long run has 50. */
const kills = process.env["ATTUNE_LONG"] ? 50 : 3;
const seed = Number(process.env["ATTUNE_SEED"] ?? Date.now() % 1_000_000);
const names = ["a", "b", "c", "d"];
/** More than an update of all nodes needs. */
const mostEvents = 120;

test(`an operator that is killed at ${kills} random moments loses no node and restarts none twice for a config (ATTUNE_SEED=${seed})`, async () => {
  const cluster = await RolloutCluster.start({ nodes: { worker: names } });
  await cluster.createPool("worker", { maxUnavailable: 2 });
  const boots = bootsOf(cluster);
  const next = random(seed);
  for (let kill = 0; kill < kills; kill++) {
    cluster.startOperator();
    const text = String(kill);
    await cluster.apply("50-own", "worker", withFiles(file("/etc/own.conf", text)));
    let isKilled = false;
    const isOver = async (): Promise<boolean> => isKilled || (await texts(cluster)).every((one) => one === text);
    const moment = cluster.events(1 + Math.floor(next() * mostEvents));
    await Promise.race([moment, cluster.until("the rollout is over", isOver)]);
    isKilled = true;
    await cluster.killOperator();
  }
  cluster.startOperator();
  const last = String(kills - 1);
  await cluster.until("all have the last config", async () => (await texts(cluster)).every((one) => one === last));
  const { spec } = await cluster.updated("worker", ["50-own"]);
  const { items } = await cluster.admin.list(kinds.node);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
  for (const { metadata, spec: node } of items) {
    expect(updateOf(metadata)).toMatchObject({ current: spec?.configuration?.name, state: "Done", isRebooting: false });
    expect(node?.unschedulable ?? false).toBe(false);
  }
  expect(boots).toHaveLength(Object.values(cluster.reboots()).reduce((sum, one) => sum + one, 0));
  expect(boots).toEqual([...new Set(boots)]);
}, 1_200_000);

async function texts(cluster: RolloutCluster): Promise<(string | undefined)[]> {
  return Promise.all(names.map((name) => cluster.text(name, "/etc/own.conf")));
}

/** A small generator: the seed that is printed repeats its choices. */
function random(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
