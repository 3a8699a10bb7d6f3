import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { kubeletConfigKind, machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import type { KindRef } from "../../src/language/object/meta.ts";
import { findCondition, isTrue } from "../../src/language/object/condition.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { lowLatency, type ProfileCluster, profileCluster } from "./profile-cluster.ts";
import { operatorUntil } from "./stopped-operator.ts";

const place = { namespace: tuningNamespace };

/** The derived objects that exist. */
async function derivedObjects({ client }: ProfileCluster): Promise<string[]> {
  const lists = await Promise.all([
    client.list(tunedKind, place),
    client.list(machineConfigKind),
    client.list(kubeletConfigKind),
    client.list(kinds.runtimeClass),
  ]);
  return lists
    .flatMap(({ items }) => items.map(({ metadata }) => metadata.name ?? ""))
    .filter((name) => name.includes("performance-"));
}

const all = [
  "openshift-node-performance-low-latency",
  "50-performance-low-latency",
  "performance-low-latency",
  "performance-low-latency",
];

async function condition(
  { client }: ProfileCluster,
  type: string,
): Promise<{ status: string; reason: string; message: string }> {
  return eventually(`condition ${type}`, async () => {
    const { status } = await client.get(performanceProfileKind, "low-latency");
    return findCondition(status?.conditions, type);
  });
}

describe("a PerformanceProfile", () => {
  it("gets its four objects, owned by it, and is kept until they are deleted", async () => {
    const cluster = await profileCluster();
    const { client } = cluster;
    const profile = await client.create(performanceProfileKind, lowLatency());
    cluster.runOperator();
    await eventually("all objects", async () => (await derivedObjects(cluster)).length === 4);
    expect(await derivedObjects(cluster)).toEqual(all);
    const { metadata } = await client.get(machineConfigKind, "50-performance-low-latency");
    expect(metadata.ownerReferences).toEqual([
      expect.objectContaining({
        kind: "PerformanceProfile",
        uid: profile.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      }),
    ]);
    const { status } = await eventually("names in the status", async () => {
      const found = await client.get(performanceProfileKind, "low-latency");
      return found.status?.tuned !== undefined && found;
    });
    expect(status).toMatchObject({
      tuned: `${tuningNamespace}/openshift-node-performance-low-latency`,
      runtimeClass: "performance-low-latency",
      observedGeneration: 1,
    });
    expect(status?.conditions?.map(({ type }) => type)).toEqual([
      "Available",
      "Upgradeable",
      "Progressing",
      "Degraded",
    ]);

    await client.delete(performanceProfileKind, "low-latency");
    await gone("the profile", () => client.get(performanceProfileKind, "low-latency"));
    expect(await derivedObjects(cluster)).toEqual([]);
  });

  it("has every one of its objects repaired", async () => {
    const cluster = await profileCluster();
    const { client } = cluster;
    await client.create(performanceProfileKind, lowLatency());
    cluster.runOperator();
    await eventually("all objects", async () => (await derivedObjects(cluster)).length === 4);
    const changes: readonly (readonly [KindRef, string, object, { readonly namespace?: string }])[] = [
      [tunedKind, "openshift-node-performance-low-latency", { spec: { recommend: [] } }, place],
      [machineConfigKind, "50-performance-low-latency", { spec: { kernelType: "realtime" } }, {}],
      [kubeletConfigKind, "performance-low-latency", { spec: { kubeletConfig: { maxPods: 7 } } }, {}],
      [kinds.runtimeClass, "performance-low-latency", { scheduling: null }, {}],
    ];
    for (const [kind, name, patch, options] of changes) {
      const content = async (): Promise<string> => {
        const { spec, handler, scheduling } = await client.get(kind, name, options);
        return JSON.stringify([spec, handler, scheduling]);
      };
      const before = await content();
      await client.patch(kind, name, { type: "merge", patch }, options);
      await eventually(`${kind.kind} is repaired`, async () => (await content()) === before);
      await client.delete(kind, name, options);
      await eventually(`${kind.kind} is created again`, () => client.get(kind, name, options));
    }
  });

  it("has only what differs written, by the next operator too, and says in events what was done", async () => {
    const cluster = await profileCluster();
    const { client } = cluster;
    const { metadata } = await client.create(performanceProfileKind, lowLatency());
    const written = async (): Promise<number> => {
      const { items } = await client.list(kinds.event);
      const events = items as { reason?: string; count?: number; involvedObject?: { uid?: string } }[];
      const own = events.filter((event) => event.involvedObject?.uid === metadata.uid);
      return own.reduce((sum, { reason, count = 1 }) => sum + (reason === "CreationSucceeded" ? count : 0), 0);
    };
    const first = operatorUntil(client, Infinity);
    await eventually("the KubeletConfig is in use", async () => {
      const found = (await client.list(kubeletConfigKind)).items[0];
      return found?.metadata.finalizers?.length === 1 && isTrue(found.status?.conditions ?? [], "Accepted");
    });
    expect(await derivedObjects(cluster)).toEqual(all);
    const before = await eventually("an event", written);
    await first.stop();

    const writes: string[] = [];
    const next = operatorUntil(client, Infinity, {
      counts: (kind, subresource) => writes.push(subresource === undefined ? kind : "") > 0,
    });
    await client.delete(kinds.runtimeClass, "performance-low-latency");
    await eventually("another event", async () => (await written()) > before);
    await next.stop();
    const derived = ["Tuned", "MachineConfig", "KubeletConfig", "RuntimeClass", "PerformanceProfile"];
    expect(writes.filter((kind) => derived.includes(kind))).toEqual(["RuntimeClass"]);
  });

  it("for no pool is degraded, until the pool appears (weak point 3 of the specification's section 8)", async () => {
    const cluster = await profileCluster({ pool: false });
    cluster.runOperator();
    await cluster.client.create(performanceProfileKind, lowLatency());
    expect(await condition(cluster, "Degraded")).toMatchObject({
      status: "True",
      reason: "GettingMachineConfigPoolFailed",
    });
    expect(await derivedObjects(cluster)).toEqual([]);
    await cluster.createPool();
    await eventually("all objects", async () => (await derivedObjects(cluster)).length === 4);
    await eventually("no longer degraded", async () => (await condition(cluster, "Degraded")).status === "False");
  });

  it("takes no effect while an older one with another selector is for the same pool: its condition names both", async () => {
    const cluster = await profileCluster({ pool: false });
    const { client } = cluster;
    const role = "machineconfiguration.openshift.io/role";
    await client.create(machineConfigPoolKind, {
      apiVersion: machineConfigPoolKind.apiVersion,
      kind: "MachineConfigPool",
      metadata: { name: "cnf", labels: { [role]: "cnf" } },
      spec: {
        nodeSelector: { matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }] },
        machineConfigSelector: { matchLabels: { [role]: "cnf" } },
      },
    });
    const of = { machineConfigLabel: { [role]: "cnf" } };
    cluster.runOperator();
    await client.create(performanceProfileKind, lowLatency({ ...of, nodeSelector: { tier: "a" } }, "a-older"));
    await eventually("the older has its objects", async () => (await derivedObjects(cluster)).length === 4);
    await client.create(performanceProfileKind, lowLatency({ ...of, nodeSelector: { tier: "b" } }));
    expect(await condition(cluster, "Degraded")).toMatchObject({
      status: "True",
      message: expect.stringContaining(
        "PerformanceProfiles a-older and low-latency both configure MachineConfigPool cnf",
      ),
    });
    expect((await derivedObjects(cluster)).filter((name) => name.includes("low-latency"))).toEqual([]);
    await client.delete(performanceProfileKind, "a-older");
    await eventually("the younger has its objects", async () => {
      const names = await derivedObjects(cluster);
      return names.length === 4 && names.every((name) => name.includes("low-latency"));
    });
  });
});
