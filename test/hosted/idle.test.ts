import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { profileKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import type { Running } from "../node-tuning-faults/stage.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { ClockedClusters, type Process, users } from "./clocked-clusters.ts";
import { controlPlane } from "./two-clusters.ts";

let clusters: ClockedClusters;
/** By both sides, into either cluster. */
let writes: string[];
let process: Process;
let running: Running[];

beforeEach(async () => {
  clusters = await ClockedClusters.open();
  writes = [];
  const noting = (name: keyof ClockedClusters["servers"]): DirectClient =>
    new DirectClient(clusters.servers[name], { onWrite: (write) => writes.push(`${name}: ${write}`) });
  process = { management: noting("management"), hosted: noting("hosted") };
  running = [clusters.startManagement(process), clusters.startOperator(process)];
  await clusters.settle();
  expect(writes.splice(0).length).toBeGreaterThan(10);
});
afterEach(async () => {
  for (const side of running) await side.stop();
  clusters.close();
});

const merge = (patch: object) => ({ type: "merge", patch }) as const;
const labelled = merge({ metadata: { labels: { any: "thing" } } });
const configMap = (name: string, namespace: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data: { tuning: "none of ours" },
});

/** Frequent events that need no reaction. */
const trifles: readonly [string, () => Promise<unknown>][] = [
  [
    "a node's heartbeat",
    () => clusters.hosted.patch(kinds.node, "np1-a", merge({ metadata: { annotations: { beat: "1" } } })),
  ],
  ["a label that no rule names on a node", () => clusters.hosted.patch(kinds.node, "np1-a", labelled)],
  ["a label of a NodePool", () => clusters.management.patch(nodePoolKind, "np1", labelled, users)],
  ["a label of a user's ConfigMap", () => clusters.management.patch(kinds.configMap, "np1", labelled, users)],
  [
    "ConfigMaps of other clients in all namespaces",
    async () => {
      for (const namespace of [users.namespace, controlPlane])
        await clusters.management.create(kinds.configMap, configMap("other", namespace), { namespace });
    },
  ],
  ["an hour without anything", () => clusters.clock.advance(3_600_000)],
];

describe("both sides with nothing to do", () => {
  it.each(trifles)("write nothing: %s", async (_, happen) => {
    await happen();
    await clusters.settle();
    expect(writes).toEqual([]);
  });

  it("write nothing after a restart", async () => {
    for (const side of running) await side.stop();
    running = [clusters.startManagement(process), clusters.startOperator(process)];
    await clusters.settle();
    expect(writes).toEqual([]);
  });

  it("write for a change what it is about, and nothing of another NodePool", async () => {
    const { metadata: before } = await clusters.hosted.get(profileKind, "np2-a", { namespace: tuningNamespace });
    await clusters.tune("np1", 12);
    await clusters.settle();
    const { metadata: after } = await clusters.hosted.get(profileKind, "np2-a", { namespace: tuningNamespace });
    expect(after.generation).toBe(before.generation);
    expect(writes.toSorted()).toMatchInlineSnapshot(`
      [
        "hosted: patch tuneds/status",
        "hosted: patch tuneds/status",
        "hosted: patch tuneds/status",
        "hosted: update profiles",
        "hosted: update profiles",
        "hosted: update tuneds",
        "management: update configmaps",
        "management: update configmaps",
      ]
    `);
  });
});
