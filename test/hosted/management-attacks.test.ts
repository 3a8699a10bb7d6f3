import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { readOrder } from "../../src/domain/hosted/handover/pool-order.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { forEachBounded } from "../../src/cluster/runtime/for-each-bounded.ts";
import { StopAtWrite } from "../performance-profile/stopped-operator.ts";
import { OrderTargets } from "./order-targets.ts";
import { namespaceLike, twoClusters, type TwoClusters } from "./two-clusters.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
const pools = isLong ? 1000 : 40;
const kills = isLong ? Infinity : 1;
const merge = (patch: object): { type: "merge"; patch: object } => ({ type: "merge", patch });
const tuned = (name: string): string =>
  JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name }, spec: {} });

const machineConfig = (name: string): string =>
  JSON.stringify({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name },
    spec: { kernelArguments: [name] },
  });

const runtimeConfig = (name: string): string =>
  JSON.stringify({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "ContainerRuntimeConfig",
    metadata: { name },
    spec: { containerRuntimeConfig: { pidsLimit: 4096 } },
  });

describe("the management side", { timeout: 300_000 }, () => {
  let clusters: TwoClusters;
  let client: Client;
  beforeAll(async () => {
    clusters = await twoClusters();
    ({ client } = clusters.management);
  });
  afterAll(async () => {
    await clusters?.close();
  });

  it("may be killed at any write: a change ends in the same state, with one order", async () => {
    const namespace = "killed";
    await createCluster(namespace);
    const end = new AbortController();
    const orders = new OrderTargets(client, `${namespace}-demo`);
    const following = orders.run(end.signal);
    const setTuned = async (name: string): Promise<void> => {
      const data = { tuning: tuned(name), config: machineConfig(name) };
      await client.patch(kinds.configMap, "t", merge({ data }), { namespace });
    };
    const changes = [
      { make: () => createPool(namespace, "np1", { config: [{ name: "t" }] }), has: "name: a", orders: 1 },
      { make: () => setTuned("b"), has: "name: b", orders: 1 },
      { make: () => client.delete(nodePoolKind, "np1", { namespace }), has: undefined, orders: 0 },
    ];
    const state = async (): Promise<string> => {
      const { items } = await client.list(kinds.configMap, { namespace: `${namespace}-demo` });
      const pools = await client.list(nodePoolKind, { namespace });
      const conditions = pools.items.map(({ status }) => status?.conditions?.map((one) => [one.type, one.status]));
      const own = items.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
      return JSON.stringify([own.map(({ metadata, data }) => [metadata.name, metadata.labels, data]), conditions]);
    };
    const ends: string[] = [];
    let killed = 0;
    // The first is not killed.
    for (let at = Infinity, round = 0, isReached = true; isReached && round <= kills; round++) {
      isReached = round === 0;
      await setTuned("a");
      for (const [index, change] of changes.entries()) {
        const before = orders.all.length;
        const wanted = ends[index];
        const isOver = async (): Promise<boolean> => {
          const found = await state();
          if (wanted !== undefined) return found === wanted;
          if (change.has === undefined) return found === "[[],[]]";
          return orders.payload.includes(change.has) && found.includes("ValidTuningConfig");
        };
        await change.make();
        if (await runUntil(at, isOver)) {
          isReached = true;
          killed++;
          await runUntil(Infinity, isOver);
        }
        ends[index] ??= await state();
        expect([index, at, orders.all.length - before]).toEqual([index, at, change.orders]);
      }
      at = isLong ? round + 1 : 3;
    }
    end.abort();
    await following;
    console.log(`the management side was killed ${killed} times`);
    expect(killed).toBeGreaterThanOrEqual(3);
  });

  it("comes to rest when two of them act at once", async () => {
    const namespace = "two";
    await createCluster(namespace);
    await createPool(namespace, "np1");
    const managers = [start(), start()];
    for (const name of ["a", "b", "c"]) {
      await client.patch(kinds.configMap, "t", merge({ data: { tuning: tuned(name) } }), { namespace });
      await reaches(namespace, "np1", name);
    }
    await Promise.all(managers.map((manager) => manager.stop()));
    const before = await versions(`${namespace}-demo`);
    const another = start();
    await createPool(namespace, "np2");
    await reaches(namespace, "np2", "c");
    await another.stop();
    expect(await versions(`${namespace}-demo`)).toMatchObject(before);
  });

  it("lets no ConfigMap of a user take the place of an order, a report or a note, whatever it is called (hosted W-9)", async () => {
    const namespace = "named";
    await createCluster(namespace);
    const place = { namespace: `${namespace}-demo` };
    // Copies of these would be called as what np1, and np1 of a pool called a, have there.
    const names = ["pool-order", "pool-report", "released-rendering", "nodes", "last-good-tuned", "pool-order-a"];
    for (const name of names) {
      const data = { config: runtimeConfig(name) };
      const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
      await client.create(kinds.configMap, configMap, { namespace });
    }
    const config = names.map((name) => ({ name }));
    const manager = start();
    await createPool(namespace, "np1", { config });
    const problems = async (): Promise<string[]> => {
      const { status } = await client.get(nodePoolKind, "np1", { namespace });
      const { message = "" } = status?.conditions?.find(({ type }) => type === "ValidMachineConfig") ?? {};
      return message.split("\n").map((line) => line.slice(0, line.indexOf(":")));
    };
    const own = names.filter((name) => name !== "pool-order-a").map((name) => `ConfigMap ${name}`);
    await eventually("the names are taken", async () => JSON.stringify(await problems()) === JSON.stringify(own));
    await client.get(kinds.configMap, "pool-order-a-np1", place);
    await createPool(namespace, "a-np1");
    await eventually("the name of the other order too", async () => (await problems()).length === names.length);
    await reaches(namespace, "a-np1", "a");
    await manager.stop();
    const { items } = await client.list(kinds.configMap, place);
    const ofOrders = items.filter(({ metadata }) => metadata.name?.startsWith("pool-order-")).map(readOrder);
    expect(ofOrders).toMatchObject(["a-np1", "np1"].map((name) => ({ type: "read", value: { nodePool: { name } } })));
    const before = await versions(place.namespace);
    const another = start();
    await createPool(namespace, "np2");
    await reaches(namespace, "np2", "a");
    await another.stop();
    expect(await versions(place.namespace)).toMatchObject(before);
  });

  it(`writes for one of ${pools} NodePools of a namespace when its ConfigMap changes, and for no other`, async () => {
    const namespace = "many";
    const names = Array.from({ length: pools }, (_, index) => `np${index}`);
    await createCluster(namespace);
    await forEachBounded(names, 16, (name) => createPool(namespace, name));
    const own = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "own" }, data: { tuning: tuned("own") } };
    await client.create(kinds.configMap, own, { namespace });
    const tuningConfig = [{ name: "t" }, { name: "own" }];
    await client.patch(nodePoolKind, "np7", merge({ spec: { tuningConfig } }), { namespace });
    const manager = start();
    const started = performance.now();
    await eventually(
      "all",
      async () => {
        const { items } = await client.list(nodePoolKind, { namespace });
        return items.every(({ status }) => status?.conditions?.some(({ type }) => type === "ValidTuningConfig"));
      },
      200_000,
    );
    await reaches(namespace, "np7", "own");
    console.log(`${pools} NodePools: ${Math.round(performance.now() - started)} ms`);
    const before = await versions(`${namespace}-demo`);
    await client.patch(kinds.configMap, "own", merge({ data: { tuning: tuned("edited") } }), { namespace });
    await reaches(namespace, "np7", "edited");
    const after = await versions(`${namespace}-demo`);
    await manager.stop();
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(["tuned-np7"]);
  });

  async function createCluster(namespace: string): Promise<void> {
    for (const name of [namespace, `${namespace}-demo`]) await client.create(kinds.namespace, namespaceLike(name));
    const hosted = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec: {} };
    await client.create(hostedClusterKind, hosted, { namespace });
    const data = { tuning: tuned("a") };
    await client.create(
      kinds.configMap,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "t" }, data },
      { namespace },
    );
  }

  async function createPool(namespace: string, name: string, more: object = {}): Promise<void> {
    const spec = { clusterName: "demo", release: { image: "release:4.22.0" }, tuningConfig: [{ name: "t" }], ...more };
    await client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name }, spec }, { namespace });
  }

  async function reaches(namespace: string, pool: string, name: string): Promise<void> {
    await eventually(`Tuned ${name}`, async () => {
      const { data } = await client.get(kinds.configMap, `tuned-${pool}`, { namespace: `${namespace}-demo` });
      await client.get(kinds.configMap, `pool-order-${pool}`, { namespace: `${namespace}-demo` });
      return data?.["tuned"]?.includes(`name: ${name}\n`);
    });
  }

  async function versions(namespace: string): Promise<Record<string, string | undefined>> {
    const { items } = await client.list(kinds.configMap, { namespace });
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  }

  function start(): { stop: () => Promise<void> } {
    const end = new AbortController();
    const ended = runManagement({ client, signal: end.signal, image: "attune:test", leaderElection: false });
    return {
      stop: async () => {
        end.abort();
        await ended;
      },
    };
  }

  /** Whether it was killed at that write, before the change was over. */
  async function runUntil(at: number, isOver: () => Promise<boolean>): Promise<boolean> {
    const life = new StopAtWrite(at);
    const { signal } = life;
    const by = life.client(client);
    const ended = runManagement({ client: by, signal, image: "attune:test", leaderElection: false });
    await eventually(`the change is over, or write ${at}`, async () => life.isReached || (await isOver()));
    life.stop();
    await ended;
    return life.isReached;
  }
});
