import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { assert, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import { readOrder } from "../../hosted/handover/pool-order.ts";
import { type PoolReport, writeReport } from "../../hosted/handover/pool-report.ts";
import type { NodePool } from "../api.ts";
import { planDeletion } from "./plan-deletion.ts";
import { planRollout } from "./plan-rollout.ts";
import type { RolloutInput, RolloutPlan, Secret } from "./rollout-plan.ts";
import { lastPayload } from "./target.ts";

const machineConfig = (name: string, kernelArguments: string[]): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name },
  spec: { kernelArguments },
});

/** The control plane namespace, with what was planned in it. */
class Plane {
  nodePool: NodePool = {
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "NodePool",
    metadata: { name: "np1", namespace: "clusters", generation: 1 },
    spec: { clusterName: "demo", replicas: 2, management: { upgradeType: "InPlace" } },
  };
  objects: readonly KubeObject[] = [machineConfig("50-nto-np1", ["a=1", "b=2"])];
  version = "4.22.0";
  now = 1_000_000;
  isPaused = false;
  readonly there = new Map<string, KubeObject>();
  tokens = 0;
  plan!: RolloutPlan;

  settle(): this {
    const of = (kind: string): KubeObject[] => [...this.there.values()].filter((one) => one.kind === kind);
    const input: RolloutInput = {
      nodePool: this.nodePool,
      hostedCluster: { apiVersion: "v1", kind: "HostedCluster", metadata: { name: "demo", namespace: "clusters" } },
      namespace: "clusters-demo",
      payload: { type: "new", objects: this.objects },
      version: this.version,
      isPaused: this.isPaused,
      controlPlane: of("ConfigMap"),
      secrets: of("Secret"),
      machines: [],
      now: this.now,
      digest: (parts) => [...parts].reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex"),
      compress: (bytes) => gzipSync(bytes),
      newToken: () => `token-${++this.tokens}`,
    };
    this.plan = planRollout(input);
    for (const { object } of this.plan.objects) this.there.set(object.metadata.name ?? "", object);
    for (const { metadata } of this.plan.prunes) this.there.delete(metadata.name ?? "");
    const { metadata, status } = this.nodePool;
    this.nodePool = {
      ...this.nodePool,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...this.plan.annotations } },
      status: { ...status, ...this.plan.status },
    };
    return this;
  }

  report(change: Partial<PoolReport> = {}): this {
    const { full } = this.target;
    const counts = { total: 2, updated: 0, unavailable: 0, degraded: 0 };
    const since = "2026-01-01T00:00:00Z";
    const lists = { updated: [], degraded: [], waiting: [], problems: [] };
    const report = { nodePool: "np1", target: full, generation: 1, counts, since, ...lists, ...change };
    const order = this.there.get("pool-order-np1") as ConfigMap;
    this.there.set("pool-report-np1", writeReport(report, { namespace: "clusters-demo", order }));
    return this.settle();
  }

  finish(): this {
    return this.report({ current: this.target.full, counts: { total: 2, updated: 2, unavailable: 0, degraded: 0 } });
  }

  get target(): { full: string; withoutVersion: string; version: string } {
    const read = readOrder(this.there.get("pool-order-np1") as ConfigMap);
    if (read.type === "problem") throw new Error(read.problem);
    return read.value.target;
  }

  get secrets(): string[] {
    return [...this.there.keys()].filter((name) => /^(token|user)/.test(name)).toSorted();
  }

  condition(type: string): string {
    const found = this.plan.outcomes.find((one) => one.type === type);
    return found ? [found.status, found.reason, found.message].filter(Boolean).join(" ") : "absent";
  }
}

describe("the rollout of a NodePool", () => {
  it("orders the payload, and is finished when the hosted cluster says so", () => {
    const plane = new Plane().settle();
    const { full, withoutVersion } = plane.target;
    expect(lastPayload("np1", [plane.there.get("pool-order-np1") as ConfigMap])).toEqual(plane.objects);
    expect(plane.secrets).toEqual([`token-np1-${full}`, `user-data-np1-${full}`]);
    expect(plane.condition("UpdatingConfig")).toBe(
      `True AsExpected Updating config in progress. Target config: ${withoutVersion}`,
    );
    plane.finish();
    expect(plane.condition("UpdatingConfig")).toBe("False AsExpected");
    expect(plane.nodePool.metadata.annotations).toEqual({
      "hypershift.openshift.io/nodePoolCurrentConfig": withoutVersion,
      "hypershift.openshift.io/nodePoolCurrentConfigVersion": full,
    });
    expect(plane.nodePool.status).toEqual({ version: "4.22.0", replicas: 2 });
  });

  it("has no version to update to without a release", () => {
    const plane = new Plane();
    plane.version = "";
    expect(plane.settle().condition("UpdatingVersion")).toBe("False AsExpected");
    expect(plane.finish().nodePool.status).toEqual({ replicas: 2 });
  });

  it.each([
    ["30m", 1_800_000, "True AsExpected"],
    ["0s", undefined, "True AsExpected"],
    [undefined, undefined, "True AsExpected"],
    ["soon", undefined, "False ValidationFailed spec.nodeDrainTimeout"],
    ["-5m", undefined, "False ValidationFailed spec.nodeDrainTimeout"],
  ])("orders a limit of drains: %s (hosted W-17)", (nodeDrainTimeout, drainTimeoutMs, condition) => {
    const plane = new Plane();
    Object.assign(plane.nodePool.spec ?? {}, { nodeDrainTimeout });
    plane.settle();
    const read = readOrder(plane.there.get("pool-order-np1") as ConfigMap);
    assert(read.type === "read");
    expect(read.value.drainTimeoutMs).toBe(drainTimeoutMs);
    expect(plane.condition("UpdateManagementEnabled")).toMatch(new RegExp(`^${condition}`));
  });

  it("changes nothing for another order of boot arguments, or an annotation in a generated object", () => {
    const plane = new Plane().settle().finish();
    const before = JSON.stringify([...plane.there]);
    plane.objects = [
      { ...machineConfig("50-nto-np1", ["b=2", "a=1"]), metadata: { name: "50-nto-np1", annotations: { by: "4.23" } } },
    ];
    plane.settle();
    expect(JSON.stringify([...plane.there])).toBe(before);
    expect(plane.tokens).toBe(1);
  });

  it("keeps the token of the last configuration for two hours, and nothing of overtaken ones", () => {
    const plane = new Plane().settle().finish();
    const first = plane.target.full;
    plane.objects = [machineConfig("50-nto-np1", ["a=2"])];
    plane.settle();
    const overtaken = plane.target.full;
    plane.objects = [machineConfig("50-nto-np1", ["a=3"])];
    plane.settle();
    const { full } = plane.target;
    expect(plane.secrets).toEqual([`token-np1-${first}`, `token-np1-${full}`, `user-data-np1-${full}`].toSorted());
    expect(plane.secrets.join()).not.toContain(overtaken);
    plane.finish();
    expect(plane.plan.requeueAfterMs).toBe(2 * 60 * 60_000);
    plane.now += 2 * 60 * 60_000;
    plane.settle();
    expect(plane.secrets).toEqual([`token-np1-${full}`, `user-data-np1-${full}`]);
  });

  it("takes the configuration back without a trace of the one in between", () => {
    const plane = new Plane().settle().finish();
    const before = [...plane.there.keys()].toSorted();
    const { objects } = plane;
    plane.objects = [];
    plane.settle();
    expect(plane.condition("UpdatingConfig")).toContain("True");
    plane.objects = objects;
    plane.settle();
    expect([...plane.there.keys()].toSorted()).toEqual(before);
    expect(plane.condition("UpdatingConfig")).toBe("False AsExpected");
    expect(JSON.stringify(plane.there.get(`token-np1-${plane.target.full}`))).not.toContain("expiration");
  });

  it("changes boot arguments after an upgrade, and never during one", () => {
    const plane = new Plane().settle().finish();
    plane.version = "4.23.0";
    plane.settle();
    const upgrade = plane.target.full;
    plane.objects = [machineConfig("50-nto-np1", ["a=9"]), machineConfig("60-mine", ["c=1"])];
    plane.settle();
    const during = plane.target.full;
    expect(during).not.toBe(upgrade);
    const sent = lastPayload("np1", [plane.there.get("pool-order-np1") as ConfigMap]);
    expect(sent).toMatchObject([{ spec: { kernelArguments: ["a=1", "b=2"] } }, { metadata: { name: "60-mine" } }]);
    plane.finish();
    expect(plane.nodePool.status?.version).toBe("4.23.0");
    plane.settle();
    expect(plane.target.full).not.toBe(during);
    expect(plane.condition("UpdatingConfig")).toContain("True");
    expect(plane.condition("UpdatingVersion")).toBe("False AsExpected");
  });

  it("changes nothing that is derived from a profile during an upgrade either: boot arguments belong to it", () => {
    const plane = new Plane();
    const derived = (words: string[]): KubeObject[] => [
      machineConfig("50-nto-np1", words),
      machineConfig("50-performance-perf", [`of=${words[0]}`]),
    ];
    plane.objects = derived(["a=1"]);
    plane.settle().finish();
    plane.version = "4.23.0";
    plane.settle();
    const upgrade = plane.target.full;
    for (const objects of [derived(["a=2"]), []]) {
      plane.objects = objects;
      plane.settle();
      expect(plane.target.full).toBe(upgrade);
    }
    plane.finish();
    plane.settle();
    expect(plane.target.full).not.toBe(upgrade);
  });

  it("stops while the NodePool is paused: nodes are told nothing new", () => {
    const plane = new Plane().settle();
    const { full } = plane.target;
    plane.objects = [machineConfig("50-nto-np1", ["a=2"])];
    plane.isPaused = true;
    plane.settle();
    expect(plane.target.full).toBe(full);
    expect(readOrder(plane.there.get("pool-order-np1") as ConfigMap)).toMatchObject({ value: { paused: true } });
    plane.isPaused = false;
    plane.settle();
    expect(plane.target.full).not.toBe(full);
  });

  it("says which node failed, what is not drained, and that boot arguments differ (hosted W-17)", () => {
    const plane = new Plane().settle();
    plane.report({
      waiting: [{ reason: "DrainBlocked", message: "node a has not been drained: pod web has a budget" }],
    });
    expect(plane.condition("UpdatingConfig")).toBe(
      `True AsExpected Nodepool update in progress. Target Config version: ${plane.target.full}. Total Nodes: 2. Upgraded: 0. node a has not been drained: pod web has a budget`,
    );
    const degraded = [{ node: "a", reason: "disk full" }];
    plane.report({
      degraded,
      counts: { total: 2, updated: 0, unavailable: 1, degraded: 1 },
      bootArguments: "a: x, b: y",
    });
    expect(plane.condition("UpdatingConfig")).toBe("False InplaceUpgradeFailed Node a in nodepool degraded: disk full");
    expect(plane.condition("BootArgumentsAgreed")).toBe("False ProfileConflict a: x, b: y");
    plane.report({ problems: ["MachineConfig 50-a spec.config: not supported"] });
    expect(plane.condition("ValidGeneratedPayload")).toContain("False InvalidConfig MachineConfig 50-a");
  });

  it("is not finished because all nodes are gone (hosted W-17)", () => {
    const none = { total: 0, updated: 0, unavailable: 0, degraded: 0 };
    const plane = new Plane().settle();
    plane.report({ current: plane.target.full, counts: none });
    expect(plane.condition("UpdatingConfig")).toBe("False AsExpected");
    plane.objects = [];
    plane.settle().report({ current: plane.target.full, counts: none });
    expect(plane.condition("UpdatingConfig")).toContain("True AsExpected");
  });

  it("of type Replace needs a provider of machines", () => {
    const plane = new Plane();
    plane.nodePool = { ...plane.nodePool, spec: { ...plane.nodePool.spec, management: { upgradeType: "Replace" } } };
    plane.settle();
    expect(plane.condition("NoMachineProvider")).toContain("True NoMachineProvider machines cannot be replaced");
    expect(plane.secrets).toHaveLength(2);
  });

  it("stays as it is when the configuration is too large to be stored", () => {
    const plane = new Plane().settle();
    const before = plane.target;
    // Incompressible.
    const noise = createHash("shake256", { outputLength: 1_000_000 }).digest("base64");
    const files = [{ path: "/etc/large", contents: { source: `data:;base64,${noise}` } }];
    const spec = { config: { ignition: { version: "3.2.0" }, storage: { files } } };
    plane.objects = [{ ...machineConfig("50-large", []), spec }];
    plane.settle();
    expect(plane.target).toEqual(before);
    expect(plane.condition("ValidGeneratedPayload")).toContain("False PayloadTooLarge");
  });

  it("survives an order or a report that another client spoiled", () => {
    const plane = new Plane().settle().finish();
    const before = JSON.stringify(plane.there.get("pool-order-np1"));
    for (const [name, key] of [
      ["pool-order-np1", "order"],
      ["pool-report-np1", "report"],
    ] as const) {
      const configMap = plane.there.get(name) as ConfigMap;
      plane.there.set(name, { ...configMap, data: { ...configMap.data, [key]: "{" } });
    }
    plane.settle();
    expect(JSON.stringify(plane.there.get("pool-order-np1"))).toBe(before);
    expect(plane.condition("ValidGeneratedPayload")).toContain(
      "Unknown ReportUnreadable ConfigMap pool-report-np1, key report",
    );
    expect(plane.condition("UpdatingConfig")).toBe("False AsExpected");
  });

  it("ends with the NodePool: what was made for it goes, what others made stays", () => {
    const plane = new Plane().settle().finish();
    const labels = { "hypershift.openshift.io/nodePool": "np1" };
    const foreign: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "foreign", labels } };
    const of = (kind: string): KubeObject[] => [...plane.there.values()].filter((one) => one.kind === kind);
    const [controlPlane, secrets] = [[...of("ConfigMap"), foreign] as ConfigMap[], of("Secret") as Secret[]];
    const { prunes, remaining } = planDeletion({ nodePool: plane.nodePool, controlPlane, secrets, machines: [] });
    expect(prunes.map(({ metadata }) => metadata.name ?? "").toSorted()).toEqual([...plane.there.keys()].toSorted());
    expect(remaining).toHaveLength(4);
    expect(
      planDeletion({ nodePool: plane.nodePool, controlPlane: [foreign], secrets: [], machines: [] }).remaining,
    ).toEqual([]);
  });
});
