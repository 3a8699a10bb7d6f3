import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { manifestsText } from "../envelope/write-manifests.ts";
import { packText } from "./packed-text.ts";
import { type PoolOrder, readOrder, readPayload, writeOrder } from "./pool-order.ts";
import { type PoolReport, readReport, writeReport } from "./pool-report.ts";

const machineConfig = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "50-a" },
  spec: { kernelArguments: ["nosmt"] },
};

const order: PoolOrder = {
  nodePool: { namespace: "clusters", name: "np1", generation: 3 },
  upgradeType: "InPlace",
  maxUnavailable: 2,
  paused: false,
  target: { full: "0123456789abcdef", withoutVersion: "fedcba9876543210", version: "4.22.0" },
  nodes: ["a", "b"],
  payload: packText(manifestsText([machineConfig]), (bytes) => gzipSync(bytes)),
};

const report: PoolReport = {
  nodePool: "np1",
  target: order.target.full,
  generation: 3,
  counts: { total: 2, updated: 1, unavailable: 1, degraded: 1 },
  updated: ["a"],
  degraded: [{ node: "b", reason: "no space left" }],
  waiting: [{ reason: "NodeFailed", message: "node b has failed" }],
  problems: [],
  tuneds: [{ tuned: "memory-1a2b3c4d", message: 'profile "nowhere" does not exist' }],
  since: "2026-01-01T00:00:00Z",
};

const written = writeOrder(order, "clusters-demo");
const reported = writeReport(report, { namespace: "clusters-demo", order: written });

function withData(configMap: ConfigMap, data: Record<string, string | undefined>): ConfigMap {
  const all = Object.entries({ ...configMap.data, ...data }).filter(([, value]) => value !== undefined);
  return { ...configMap, data: Object.fromEntries(all) as Record<string, string> };
}

function edited(configMap: ConfigMap, key: string, change: Record<string, unknown>): ConfigMap {
  return withData(configMap, { [key]: JSON.stringify({ ...JSON.parse(configMap.data?.[key] ?? ""), ...change }) });
}

describe("an order", () => {
  it("survives being written and read, with its payload", () => {
    const read = readOrder(written);
    expect(read).toEqual({ type: "read", value: order });
    expect(readPayload(order.payload, "np1")).toEqual({ type: "read", value: [machineConfig] });
  });

  it("may have an empty payload: a NodePool whose last config was removed", () => {
    expect(
      readPayload(
        packText("", (bytes) => gzipSync(bytes)),
        "np1",
      ),
    ).toEqual({ type: "read", value: [] });
  });

  it.each<[string, ConfigMap, string]>([
    ["no key", withData(written, { order: undefined }), "ConfigMap pool-order-np1, key order: is missing"],
    ["no payload", withData(written, { payload: undefined }), "ConfigMap pool-order-np1, key payload: is missing"],
    ["no JSON", withData(written, { order: "{" }), "ConfigMap pool-order-np1, key order: is not JSON: "],
    ["no object", withData(written, { order: "[]" }), "key order: <nil>: Invalid value"],
    [
      "a budget of none",
      edited(written, "order", { maxUnavailable: 0 }),
      "key order: maxUnavailable: Invalid value: 0",
    ],
    [
      "a hash that is a path",
      edited(written, "order", { target: { ...order.target, full: "../../x" } }),
      "target.full",
    ],
    ["an unknown field", edited(written, "order", { extra: 1 }), "extra: Invalid value: null: unknown field"],
    [
      "another NodePool",
      edited(written, "order", { nodePool: { ...order.nodePool, name: "np2" } }),
      "is not the NodePool",
    ],
    [
      "another name",
      { ...written, metadata: { ...written.metadata, name: "x" } },
      "ConfigMap x, key order: nodePool.name",
    ],
    ["deep nesting", withData(written, { order: "[".repeat(100_000) }), "ConfigMap pool-order-np1, key order: "],
  ])("with %s is a problem with its place", (_, configMap, problem) => {
    const read = readOrder(configMap);
    expect(read.type === "problem" ? read.problem : read).toContain(problem);
  });

  it.each<[string, string, string]>([
    ["no base64", "%", "ConfigMap pool-order-np1, key payload: is not base64"],
    ["no gzip", btoa("text"), "key payload: is not compressed with gzip"],
    ["a bomb", packText("0".repeat(32 * 1024 * 1024), (bytes) => gzipSync(bytes)), "key payload: "],
    ["no UTF-8", btoa(String.fromCharCode(...gzipSync(Uint8Array.of(0xff, 0xfe)))), "key payload: is not UTF-8"],
    [
      "a Pod",
      packText("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n", (bytes) => gzipSync(bytes)),
      "ConfigMap pool-order-np1, document 1, Pod p: Pod of v1 is not supported here",
    ],
  ])("with %s as payload is a problem with its place", (_, payload, problem) => {
    const read = readPayload(payload, "np1");
    expect(read.type === "problem" ? read.problem : read).toContain(problem);
  });
});

describe("a report", () => {
  it("survives being written and read, and goes with its order", () => {
    expect(readReport(reported)).toEqual({ type: "read", value: report });
    expect(reported.metadata.ownerReferences?.[0]?.name).toBe("pool-order-np1");
  });

  it("of a pool in which everything is wrong is cut to what can be read and stored", () => {
    const degraded = Array.from({ length: 5000 }, (_, i) => ({ node: `n${i}`, reason: "x".repeat(5000) }));
    const waiting = degraded.map(({ reason }) => ({ reason, message: reason }));
    const many = {
      ...report,
      degraded,
      waiting,
      updated: degraded.map(({ node }) => node),
      problems: [waiting[0]!.reason],
      tuneds: degraded.map(({ node, reason }) => ({ tuned: node, message: reason })),
    };
    const written = writeReport(many, { namespace: "clusters-demo", order: reported });
    expect(readReport(written).type).toBe("read");
    expect(JSON.stringify(written).length).toBeLessThan(100_000);
  });

  it.each<[string, ConfigMap, string]>([
    ["no key", withData(reported, { report: undefined }), "ConfigMap pool-report-np1, key report: is missing"],
    ["negative counts", edited(reported, "report", { counts: { ...report.counts, total: -1 } }), "counts.total"],
    ["a time that is none", edited(reported, "report", { since: "soon" }), "since: Invalid value"],
    ["another NodePool", edited(reported, "report", { nodePool: "np2" }), "is not the NodePool"],
  ])("with %s is a problem with its place", (_, configMap, problem) => {
    const read = readReport(configMap);
    expect(read.type === "problem" ? read.problem : read).toContain(problem);
  });
});
