import { expect, it } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { finalizer } from "../../src/domain/hosted/profiles/read-envelope.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import type { Protocol } from "../../src/domain/node-tuning/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { HostedOperator } from "./hosted-operator.ts";
import { OrderTargets } from "./order-targets.ts";
import { ProfileWorld } from "./profile-world.ts";
import { reportAlways } from "./reporting-node.ts";
import { controlPlane, poolNamespace, twoClusters } from "./two-clusters.ts";

const users = { namespace: poolNamespace };
const profile = (name: string, reserved: string): string =>
  JSON.stringify({
    apiVersion: "performance.openshift.io/v2",
    kind: "PerformanceProfile",
    metadata: { name },
    spec: { cpu: { isolated: "2-3", reserved }, nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" } },
  });

const isLong = process.env["ATTUNE_LONG"] !== undefined;
if (!isLong)
  console.log("not run: swapped profiles under documented names, and during a deletion (only with ATTUNE_LONG)");

async function managed(protocol: Protocol): Promise<Managed> {
  const clusters = await twoClusters();
  const { client } = clusters.management;
  const world = new ProfileWorld(clusters, protocol);
  await world.prepare();
  await world.createNode("np1-a");
  const end = new AbortController();
  const { signal } = end;
  const operator = new HostedOperator(clusters, protocol);
  operator.start();
  const orders = new OrderTargets(client, controlPlane);
  const running = [
    runManagement({ client, signal, image: "attune:test", protocol, leaderElection: false }),
    reportAlways(world, "np1-a", signal),
    orders.run(signal),
  ];
  await client.create(
    hostedClusterKind,
    { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec: {} },
    users,
  );
  for (const [name, manifest] of [
    ["p1", profile("first", "0")],
    ["p2", profile("second", "0-1")],
  ])
    await client.create(
      kinds.configMap,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { tuning: manifest ?? "" } },
      users,
    );
  const spec = { clusterName: "demo", release: { image: "release:4.22.0" } };
  await client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name: "np1" }, spec }, users);
  await eventually("the first order", () => Promise.resolve(orders.all.length > 0));
  return {
    client,
    world,
    orders,
    async refer(...names) {
      const patch = { spec: { tuningConfig: names.map((name) => ({ name })) } };
      const { metadata } = await client.patch(nodePoolKind, "np1", { type: "merge", patch }, users);
      return metadata.generation;
    },
    async ordered(has, hasNot) {
      await eventually(`the order with ${has}`, () =>
        Promise.resolve(orders.payload.includes(has) && !orders.payload.includes(hasNot)),
      );
      await world.processed();
    },
    async close() {
      end.abort();
      await Promise.all([...running, operator.stop()]);
      await clusters.close();
    },
  };
}

interface Managed {
  readonly client: Client;
  readonly world: ProfileWorld;
  readonly orders: OrderTargets;
  /** Returns the generation of the NodePool. */
  readonly refer: (...names: string[]) => Promise<number | undefined>;
  readonly ordered: (has: string, hasNot: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

// Under shipped names the ConfigMaps of the two profiles have different names.
it.each(isLong ? (["documented", "shipped"] as const) : (["shipped"] as const))(
  "a NodePool that refers to another profile gets one rollout with both directions, %s",
  async (protocol) => {
    const { orders, refer, ordered, close } = await managed(protocol);
    const counts: number[] = [];
    const steps = [
      { references: ["p1"], has: "performance-first", hasNot: "performance-second" },
      { references: ["p2"], has: "performance-second", hasNot: "performance-first" },
      { references: ["p1"], has: "performance-first", hasNot: "performance-second" },
      { references: [], has: "", hasNot: "performance-" },
    ];
    for (const { references, has, hasNot } of steps) {
      const before = orders.all.length;
      await refer(...references);
      await ordered(has, hasNot);
      counts.push(orders.all.length - before);
    }
    await close();
    expect(counts).toEqual([1, 1, 1, 1]);
  },
);

it.runIf(isLong)(
  "a profile stays until the ConfigMap of the next one, which is still being deleted, is written anew",
  async () => {
    const { client, world, orders, refer, ordered, close } = await managed("shipped");
    const place = { namespace: controlPlane };
    const setFinalizers = async (...finalizers: string[]): Promise<unknown> =>
      client.patch(kinds.configMap, "p1-np1", { type: "merge", patch: { metadata: { finalizers } } }, place);
    await refer("p1");
    await ordered("performance-first", "performance-second");
    await setFinalizers(finalizer, "example.com/held");
    await refer("p2");
    await ordered("performance-second", "performance-first");
    const before = orders.all.length;
    const generation = await refer("p1");
    await eventually("the management side has seen it", async () => {
      const { status } = await client.get(nodePoolKind, "np1", users);
      return findCondition(status?.conditions, "UpdatingConfig")?.observedGeneration === generation;
    });
    await world.processed();
    const { metadata } = await client.get(kinds.configMap, "p2-np1", place);
    await setFinalizers();
    await ordered("performance-first", "performance-second");
    await close();
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(orders.all.length - before).toBe(1);
  },
);
