import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { apiVersion, hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { eventually } from "../node-tuning/eventually.ts";
import { runManagement } from "../../src/program/management/management.ts";
import { forEachBounded } from "../../src/cluster/runtime/for-each-bounded.ts";
import { twoClusters, type TwoClusters } from "./two-clusters.ts";

const isLong = process.env["ATTUNE_LONG"] !== undefined;
const pools = isLong ? 1000 : 40;
const kills = isLong ? 12 : 4;
const merge = (patch: object): { type: "merge"; patch: object } => ({ type: "merge", patch });
const tuned = (name: string): string =>
  JSON.stringify({ apiVersion: "tuned.openshift.io/v1", kind: "Tuned", metadata: { name }, spec: {} });

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

  it("finishes what it was killed in the middle of, at whichever write", async () => {
    const results: string[] = [];
    for (let kill = 0; kill <= kills; kill++) {
      const namespace = `killed-${kill}`;
      await createCluster(namespace);
      await createPool(namespace, "np1");
      // The first is not killed.
      if (kill > 0) await runUntilWrite(kill);
      const manager = start();
      await reaches(namespace, "np1", "a");
      await client.patch(kinds.configMap, "t", merge({ data: { tuning: tuned("b") } }), { namespace });
      await reaches(namespace, "np1", "b");
      await manager.stop();
      const { items } = await client.list(kinds.configMap, { namespace: `${namespace}-demo` });
      const state = items
        .map(({ metadata, data }) => [metadata.name, metadata.labels, data])
        .filter(([name]) => name !== "kube-root-ca.crt");
      results.push(JSON.stringify(state).replaceAll(namespace, "killed"));
    }
    expect(new Set(results).size).toBe(1);
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
    for (const name of [namespace, `${namespace}-demo`])
      await client.create(kinds.namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const hosted = { apiVersion, kind: "HostedCluster", metadata: { name: "demo" }, spec: {} };
    await client.create(hostedClusterKind, hosted, { namespace });
    const data = { tuning: tuned("a") };
    await client.create(
      kinds.configMap,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "t" }, data },
      { namespace },
    );
  }

  async function createPool(namespace: string, name: string): Promise<void> {
    const spec = { clusterName: "demo", release: { image: "release:4.22.0" }, tuningConfig: [{ name: "t" }] };
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

  function start(by: Client = client): { stop: () => Promise<void> } {
    const end = new AbortController();
    const ended = runManagement({ client: by, signal: end.signal, image: "attune:test", leaderElection: false });
    return {
      stop: async () => {
        end.abort();
        await ended;
      },
    };
  }

  /** Its `count`th write is its last, and whether it was stored is not known to it. */
  async function runUntilWrite(count: number): Promise<void> {
    let writes = 0;
    let killed = (): void => {};
    const atEnd = new Promise<void>((resolve) => {
      killed = resolve;
    });
    const dying = new Proxy(client, {
      get(target, name: keyof Client) {
        const method = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (!["create", "update", "patch", "delete"].includes(name)) return method;
        return async (...args: unknown[]) => {
          if (++writes > count) return new Promise(() => {});
          const answer = await method(...args);
          if (writes < count) return answer;
          killed();
          return new Promise(() => {});
        };
      },
    });
    const end = new AbortController();
    void runManagement({ client: dying, signal: end.signal, image: "attune:test", leaderElection: false }).catch(
      () => {},
    );
    await atEnd;
    end.abort();
  }
});
