import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCondition } from "../../src/language/object/condition.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { unpackText } from "../../src/domain/hosted/handover/packed-text.ts";
import { type PoolOrder, readOrder } from "../../src/domain/hosted/handover/pool-order.ts";
import { type PoolReport, writeReport } from "../../src/domain/hosted/handover/pool-report.ts";
import { keys } from "../../src/domain/hosted/protocol.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { clientFor } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { untilEstablished } from "../servers/until.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { namespaceLike } from "./two-clusters.ts";

const manifest = (kind: string, name: string, spec: object, annotations: object = {}): string =>
  JSON.stringify({ apiVersion: "machineconfiguration.openshift.io/v1", kind, metadata: { name, annotations }, spec });
const tuned = (name: string, annotations: object = {}): string =>
  JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name, annotations }, spec: {} });
const merge = (patch: object): { type: "merge"; patch: object } => ({ type: "merge", patch });

const users = { namespace: "clusters" };
const controlPlane = { namespace: "clusters-demo" };

for (const variant of serverVariants())
  describe(`the management side, on the ${variant.name} server`, { timeout: 120_000 }, () => {
    let server: ServerUnderTest;
    let client: Client;
    const stop = new AbortController();
    let running: Promise<void> | undefined;

    beforeAll(async () => {
      server = await variant.start();
      client = clientFor(server);
      for (const crd of nodePoolCrds) await client.create(kinds.customResourceDefinition, crd as never);
      await untilEstablished(client);
      for (const { namespace } of [users, controlPlane]) await client.create(kinds.namespace, namespaceLike(namespace));
      await client.create(
        hostedClusterKind,
        { apiVersion, kind: "HostedCluster", metadata: { name: "demo", ...users }, spec: {} },
        users,
      );
      running = runManagement({ client, signal: stop.signal, image: "attune:test", leaderElection: false });
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await server?.close();
    });

    it("brings the Tuneds of a NodePool to its control plane namespace, and reports what is wrong", async () => {
      await createConfigMap("t", { tuning: tuned("a") });
      await client.create(
        nodePoolKind,
        {
          apiVersion,
          kind: "NodePool",
          metadata: { name: "np1", ...users },
          spec: { clusterName: "demo", management: { upgradeType: "InPlace" }, tuningConfig: [{ name: "t" }] },
        },
        users,
      );
      await eventually("the ConfigMap", () => client.get(kinds.configMap, "tuned-np1", controlPlane));
      const { metadata, data } = await client.get(kinds.configMap, "tuned-np1", controlPlane);
      expect(metadata.labels).toEqual({ [keys.nodePool]: "np1", [keys.tunedConfig]: "true" });
      expect(metadata.annotations?.[keys.nodePool]).toBe("clusters/np1");
      expect(data?.["tuned"]).toContain("kind: Tuned");
      await eventually("valid", async () => (await condition("ValidTuningConfig"))?.status === "True");
      await client.patch(
        kinds.configMap,
        "t",
        { type: "merge", patch: { data: { tuning: `${tuned("a")}\n---\na: [` } } },
        users,
      );
      await eventually("invalid", async () => (await condition("ValidTuningConfig"))?.status === "False");
      expect((await condition("ValidTuningConfig"))?.message).toMatch(/^ConfigMap t, document 2: is not YAML/);
      await client.get(kinds.configMap, "tuned-np1", controlPlane);
      expect((await condition("UpdatingVersion"))?.message).toBe("");
      await eventually("an event", async () => {
        const found = (await events()).find(({ reason }) => reason === "InvalidTuningConfig");
        return found?.type === "Warning" && found.message?.startsWith("ConfigMap t, document 2: is not YAML");
      });
    });

    it("orders a rollout of what users give and what is generated, and of complete sets only", async () => {
      await createConfigMap("mc", { config: manifest("MachineConfig", "60-user", { kernelArguments: ["nosmt"] }) });
      await client.patch(nodePoolKind, "np1", merge({ spec: { config: [{ name: "mc" }] } }), users);
      await eventually("the order", async () => (await payload()).includes("60-user"));
      expect(await payload()).toContain("machineconfiguration.openshift.io/role: worker");
      const user = (await order()).target.full;
      // Its members arrive one by one.
      const set = { "rollout.attune.dev/derived-set": "perf/1" };
      await generate("mc-perf", keys.generatedMachineConfig, manifest("MachineConfig", "50-performance-perf", {}, set));
      await generate("kc-perf", keys.generatedKubeletConfig, manifest("KubeletConfig", "performance-perf", {}, set));
      await pass();
      expect((await order()).target.full).toBe(user);
      await generate("tuned-perf", keys.tunedConfig, tuned("openshift-node-performance-perf", set));
      await eventually("the whole set", async () => (await order()).target.full !== user);
      expect(await payload()).toContain("performance-perf");
    });

    it("takes owners away from what it writes: with a cycle of owners, or one that is gone, it would not last", async () => {
      const names = ["tuned-np1", "pool-order-np1"] as const;
      const owners = (): Promise<unknown[]> =>
        Promise.all(
          names.map(async (name) => (await client.get(kinds.configMap, name, controlPlane)).metadata.ownerReferences),
        );
      for (const [index, name] of names.entries()) {
        const owner = names[1 - index] ?? "";
        const { uid = "" } = (await client.get(kinds.configMap, owner, controlPlane)).metadata;
        const reference = { apiVersion: "v1", kind: "ConfigMap", name: owner, uid, controller: true };
        const { metadata } = await client.patch(
          kinds.configMap,
          name,
          merge({ metadata: { ownerReferences: [reference] } }),
          controlPlane,
        );
        expect(metadata.ownerReferences).toHaveLength(1);
      }
      await eventually("no owners", async () => (await owners()).every((found) => found === undefined));
    });

    it("keeps the configuration while a user's KubeletConfig is beside a generated one (hosted W-11)", async () => {
      const { target } = await order();
      await createConfigMap("kc", { config: manifest("KubeletConfig", "user", {}) });
      await client.patch(nodePoolKind, "np1", merge({ spec: { config: [{ name: "mc" }, { name: "kc" }] } }), users);
      await eventually("reported", async () => (await condition("ValidMachineConfig"))?.status === "False");
      expect((await condition("ValidMachineConfig"))?.message).toContain(
        "KubeletConfig user: a NodePool has at most one KubeletConfig, and that of its PerformanceProfile is used: remove this",
      );
      expect((await order()).target).toEqual(target);
      await client.get(kinds.configMap, "kc-np1", controlPlane);
      await client.patch(nodePoolKind, "np1", merge({ spec: { config: [{ name: "mc" }] } }), users);
      await gone("the copy", () => client.get(kinds.configMap, "kc-np1", controlPlane));
    });

    it("tells what happens to a NodePool as events, each when it happens", async () => {
      const { target, nodePool } = await order();
      const counts = { total: 1, updated: 1, unavailable: 0, degraded: 0 };
      const degraded = [{ node: "a", reason: "disk is full" }];
      const about = { nodePool: "np1", target: target.full, generation: nodePool.generation, counts, waiting: [] };
      const lists = { updated: [], degraded: [], problems: [], since: "2026-01-01T00:00:00Z" };
      const ordered = await client.get(kinds.configMap, "pool-order-np1", controlPlane);
      const write = async (report: Partial<PoolReport>): Promise<void> => {
        const object = writeReport({ ...about, ...lists, ...report }, { ...controlPlane, order: ordered });
        const apply = { type: "apply", object, force: true } as const;
        await client.patch(kinds.configMap, object.metadata.name ?? "", apply, {
          ...controlPlane,
          fieldManager: "test",
        });
      };
      await write({ degraded, counts: { ...counts, degraded: 1 } });
      await told("Warning ConfigUpdateFailed Node a in nodepool degraded: disk is full");
      await write({ current: target.full, updated: ["a"] });
      await told("Normal ConfigUpdateCompleted all nodes have it");
      await told(/^Warning InvalidMachineConfig .*a NodePool has at most one KubeletConfig/);
      await told("Normal ValidMachineConfig valid again");
      await told(/^Normal ConfigUpdateStarted Updating config in progress/);
    });

    async function told(wanted: string | RegExp): Promise<void> {
      await eventually(`the event ${wanted}`, async () =>
        (await events()).some(({ type, reason, message }) =>
          typeof wanted === "string"
            ? `${type} ${reason} ${message}` === wanted
            : wanted.test(`${type} ${reason} ${message}`),
        ),
      );
    }

    async function events(): Promise<{ type?: string; reason?: string; message?: string }[]> {
      const { items } = await client.list(kinds.event, users);
      return items.filter(({ involvedObject }) => involvedObject.kind === "NodePool" && involvedObject.name === "np1");
    }

    it("changes nothing on nodes while a NodePool is paused (hosted W-7)", async () => {
      await client.patch(nodePoolKind, "np1", merge({ spec: { pausedUntil: "true" } }), users);
      await eventually("paused", async () => (await condition("ReconciliationActive"))?.status === "False");
      await client.patch(kinds.configMap, "t", merge({ data: { tuning: tuned("b") } }), users);
      await eventually("read all the same", async () => (await condition("ValidTuningConfig"))?.status === "True");
      expect(await tuneds()).not.toContain("name: b");
      await client.patch(nodePoolKind, "np1", merge({ spec: { pausedUntil: null } }), users);
      await eventually("written", async () => (await tuneds()).includes("name: b"));
    });

    it("writes for one of two NodePools whose names have one hash, and for the other when that is gone (hosted W-10)", async () => {
      const spec = { clusterName: "demo", tuningConfig: [{ name: "t" }] };
      const create = (name: string): Promise<unknown> =>
        client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name, ...users }, spec }, users);
      await client.patch(kinds.configMap, "t", merge({ data: { tuning: tuned("a") } }), users);
      // The first by name keeps the hash if both are of one second.
      await create("costarring");
      await eventually("the first", () => client.get(kinds.configMap, "tuned-costarring", controlPlane));
      await create("liquid");
      const reported = await eventually("reported", async () => {
        const { status } = await client.get(nodePoolKind, "liquid", users);
        return findCondition(status?.conditions, "ValidTuningConfig");
      });
      expect(reported).toMatchObject({ status: "False", message: expect.stringContaining("NodePool costarring") });
      await gone("the second", () => client.get(kinds.configMap, "tuned-liquid", controlPlane));
      await client.delete(nodePoolKind, "costarring", users);
      await eventually("the second", () => client.get(kinds.configMap, "tuned-liquid", controlPlane));
      await client.delete(nodePoolKind, "liquid", users);
      await gone("it", () => client.get(nodePoolKind, "liquid", users));
    });

    it("says what to do about a NodePool whose HostedCluster does not exist, and serves it when there is one", async () => {
      const spec = { clusterName: "later", tuningConfig: [{ name: "t" }] };
      await client.create(nodePoolKind, { apiVersion, kind: "NodePool", metadata: { name: "early" }, spec }, users);
      const valid = async (): Promise<unknown> => {
        const { status } = await client.get(nodePoolKind, "early", users);
        return findCondition(status?.conditions, "ValidTuningConfig");
      };
      await eventually("reported", valid);
      expect(await valid()).toMatchObject({
        status: "False",
        message:
          "HostedCluster clusters/later does not exist: create it, or create the NodePool anew with another spec.clusterName",
      });
      const later = { apiVersion, kind: "HostedCluster", metadata: { name: "later" }, spec: {} };
      await client.create(hostedClusterKind, later, users);
      await eventually("served", () => client.get(kinds.configMap, "tuned-early", { namespace: "clusters-later" }));
      await eventually("valid", async () => ((await valid()) as { status: string }).status === "True");
    });

    it("removes with a NodePool what it made, also when the hosted cluster goes first", async () => {
      // As the operator of a hosted cluster leaves it.
      await client.patch(
        kinds.configMap,
        "mc-perf",
        merge({ metadata: { finalizers: ["example.com/kept"] } }),
        controlPlane,
      );
      for (const [name, mark] of [
        ["nodes-np1", "rollout.attune.dev/members"],
        ["last-good-tuned-np1", "rollout.attune.dev/last-good"],
        ["released-np1", "rollout.attune.dev/released-rendering"],
      ] as const)
        await generate(name, mark, "");
      await client.delete(nodePoolKind, "np1", users);
      await gone("the order", () => client.get(kinds.configMap, "pool-order-np1", controlPlane));
      expect((await client.get(nodePoolKind, "np1", users)).metadata.deletionTimestamp).toBeDefined();
      await client.delete(hostedClusterKind, "demo", users);
      await gone("the NodePool", () => client.get(nodePoolKind, "np1", users));
      const { items } = await client.list(kinds.configMap, { ...controlPlane, labelSelector: keys.nodePool });
      expect(items).toEqual([]);
    });

    let passes = 0;
    /** ConfigMaps arrive in their order: what was written before is decided about. */
    async function pass(): Promise<void> {
      const name = `pass-${passes++}`;
      await client.patch(kinds.configMap, "t", merge({ data: { tuning: tuned(name) } }), users);
      await eventually("a pass", async () => (await tuneds()).includes(`name: ${name}`));
    }

    async function order(): Promise<PoolOrder> {
      const read = readOrder(await client.get(kinds.configMap, "pool-order-np1", controlPlane));
      if (read.type === "problem") throw new Error(read.problem);
      return read.value;
    }

    async function payload(): Promise<string> {
      const unpacked = unpackText((await order()).payload);
      return unpacked.type === "text" ? unpacked.text : "";
    }

    async function tuneds(): Promise<string> {
      return (await client.get(kinds.configMap, "tuned-np1", controlPlane)).data?.["tuned"] ?? "";
    }

    async function generate(name: string, mark: string, config: string): Promise<void> {
      const labels = { [keys.nodePool]: "np1", [mark]: "true", [keys.performanceProfileName]: "perf" };
      const data = mark === keys.tunedConfig ? { tuned: config } : { config };
      const metadata = { name, labels };
      await client.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data }, controlPlane);
    }

    async function condition(type: string): Promise<{ status: string; message: string } | undefined> {
      const { status } = await client.get(nodePoolKind, "np1", users);
      return findCondition(status?.conditions, type);
    }

    function createConfigMap(name: string, data: Record<string, string>): Promise<unknown> {
      return client.create(kinds.configMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }, users);
    }
  });
