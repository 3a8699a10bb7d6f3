import { describe, expect, it } from "vitest";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { kubeletConfigKind, machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { tunedKind, tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { equal, get, isObject } from "../../src/language/object/json.ts";
import type { KindRef } from "../../src/language/object/meta.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { lowLatency, type ProfileCluster, profileCluster } from "./profile-cluster.ts";

const place = { namespace: tuningNamespace };

async function degradedBecause({ client }: ProfileCluster, reason: string, name = "low-latency"): Promise<string> {
  return eventually(`${name} is degraded because of ${reason}`, async () => {
    const { status } = await client.get(performanceProfileKind, name);
    const condition = findCondition(status?.conditions, "Degraded");
    return condition?.reason === reason && condition.message;
  });
}

async function exists(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

describe("another client that changes", () => {
  it.each([
    [tunedKind, "openshift-node-performance-low-latency", { spec: { recommend: [] } }, place],
    [machineConfigKind, "50-performance-low-latency", { spec: { fips: true } }, {}],
    [kubeletConfigKind, "performance-low-latency", { spec: { logLevel: 3 } }, {}],
    [kinds.runtimeClass, "performance-low-latency", { overhead: { podFixed: { cpu: "1" } } }, {}],
  ] as readonly (readonly [KindRef, string, object, { namespace?: string }])[])(
    "a derived $kind again and again makes no endless loop of writes",
    async (kind, name, patch, options) => {
      const cluster = await profileCluster();
      const { client, signal, run } = cluster;
      await client.create(performanceProfileKind, lowLatency());
      cluster.runOperator();
      await eventually("the object", () => client.get(kind, name, options));
      let [repairs, wasTheirs] = [0, false];
      const fight = async (): Promise<void> => {
        for await (const event of client.watch(kind, { ...options, sendInitialEvents: true, signal })) {
          if (event.type === "BOOKMARK" || event.type === "ERROR" || event.object.metadata.name !== name) continue;
          const isTheirs = has(event.object, patch);
          if (wasTheirs && !isTheirs) repairs++;
          wasTheirs = isTheirs;
          if (!isTheirs)
            await client.patch(kind, name, { type: "merge", patch }, { ...options, fieldManager: "rival" });
        }
      };
      run(fight().catch((error: unknown) => void (signal.aborted || Promise.reject(error as Error))));
      expect(await degradedBecause(cluster, "ConflictingWriter")).toContain("by rival");
      expect(repairs).toBeGreaterThan(0);
      expect(repairs).toBeLessThanOrEqual(5);
    },
  );
});

/** Whether a merge patch would change nothing. */
function has(object: unknown, patch: unknown): boolean {
  if (!isObject(patch)) return equal(object, patch);
  return Object.entries(patch).every(([key, value]) => has(get(object, key), value));
}

describe("profiles", () => {
  it("for the same nodes: the older one keeps them, and the other takes over when it is gone", async () => {
    const cluster = await profileCluster();
    const { client } = cluster;
    await client.create(performanceProfileKind, lowLatency({}, "a-first"));
    await client.create(performanceProfileKind, lowLatency({}, "b-second"));
    cluster.runOperator();
    expect(await degradedBecause(cluster, "ComponentCreationFailed", "b-second")).toContain("a-first");
    await eventually("objects of the first", () => client.get(machineConfigKind, "50-performance-a-first"));
    expect(await exists(() => client.get(machineConfigKind, "50-performance-b-second"))).toBe(false);
    await client.delete(performanceProfileKind, "a-first");
    await eventually("objects of the second", () => client.get(machineConfigKind, "50-performance-b-second"));
    await gone("objects of the first", () => client.get(machineConfigKind, "50-performance-a-first"));
  });

  it("that are invalid do not keep others from being derived", async () => {
    const cluster = await profileCluster();
    const { client } = cluster;
    await cluster.createPool("other");
    const nodeSelector = { "node-role.kubernetes.io/other": "" };
    const broken = { cpu: { reserved: "0-1", isolated: "1-3" }, nodeSelector };
    await client.create(performanceProfileKind, lowLatency(broken, "broken"));
    await client.create(performanceProfileKind, lowLatency());
    cluster.runOperator();
    expect(await degradedBecause(cluster, "ComponentCreationFailed", "broken")).toMatch(
      /spec\.cpu.*in reserved as well/,
    );
    await eventually("objects of the other", () => client.get(machineConfigKind, "50-performance-low-latency"));
    await client.patch(performanceProfileKind, "broken", {
      type: "merge",
      patch: { spec: { cpu: { reserved: "0" } } },
    });
    await eventually("objects of the mended one", () => client.get(machineConfigKind, "50-performance-broken"));
  });

  it("edited a hundred times quickly end as the last edit says", async () => {
    const cluster = await profileCluster();
    const { client } = cluster;
    cluster.runOperator();
    await client.create(performanceProfileKind, lowLatency());
    for (let pages = 1; pages <= 100; pages++) {
      const hugepages = { defaultHugepagesSize: "2M", pages: [{ size: "2M", count: pages }] };
      await client.patch(performanceProfileKind, "low-latency", { type: "merge", patch: { spec: { hugepages } } });
    }
    await eventually("the last edit", async () => {
      const { spec } = await client.get(tunedKind, "openshift-node-performance-low-latency", place);
      return spec?.profile?.[0]?.data.includes("hugepages=100");
    });
    const { metadata } = await client.get(machineConfigPoolKind, "worker-cnf");
    // One rendering is released at most: the quiet time begins again with each edit.
    expect(metadata.generation).toBeLessThanOrEqual(2);
  });
});
