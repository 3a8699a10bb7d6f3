import { expect, it } from "vitest";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import { keys, protocols } from "../hosted/protocol.ts";
import { apiVersion, type NodePool } from "./api.ts";
import { profileConditions, validCondition, withConditions } from "./conditions.ts";
import { nodePoolsWokenBy } from "./woken-by.ts";

const profile = { nodePool: "np1", profile: "perf", from: "p1" };

function status(name: string, text: string): ConfigMap {
  const labels = { [keys.profileStatus]: "true", [keys.nodePool]: "np1" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { status: text } };
}

const degraded = "conditions: [{type: Degraded, status: 'True', reason: R, message: m}]";
const available = "conditions: [{type: Available, status: 'True'}]";

it("follow the status of the profile that the NodePool has, and of no other (hosted W-1)", () => {
  const of = (...controlPlane: ConfigMap[]): unknown =>
    profileConditions({ profile, controlPlane, protocol: protocols.documented })[0];
  const ours = "perf-566a8046-status";
  expect(of(status(ours, available), status("other-status", degraded))).toMatchObject({ status: "True" });
  expect(of(status(ours, degraded))).toMatchObject({ status: "False", reason: "R", message: "m" });
  expect(of(status("status-p1-np1", degraded))).toMatchObject({ reason: "R" });
  expect(of(status(ours, available), status("status-p1-np1", degraded))).toMatchObject({ status: "True" });
  expect(of(status(ours, "a: [1"))).toMatchObject({ status: "False", reason: "StatusUnreadable" });
  expect(of(status(ours, "conditions: x"))).toMatchObject({ reason: "StatusUnreadable" });
  expect(of()).toMatchObject({ status: "False", reason: "WaitingForStatus" });
  expect(profileConditions({ controlPlane: [status(ours, available)], protocol: protocols.documented })).toEqual([]);
});

it.each(["documented", "shipped"] as const)("do not take the last valid profile for the present one (%s)", (column) => {
  const protocol = protocols[column];
  const controlPlane = [status(protocol.children(profile).status, available)];
  const on = (isLastGood: boolean): string[] =>
    profileConditions({ profile, isLastGood, controlPlane, protocol })
      .filter((one) => one.status === "True")
      .map(({ type }) => type);
  const copied = "performance.operator.openshift.io/";
  const [applied, failed] = {
    documented: [["PerformanceProfileAppliedSuccessfully"], []],
    shipped: [[`${copied}Available`], [`${copied}Degraded`]],
  }[column];
  expect(on(false)).toEqual(applied);
  expect(on(true)).toEqual(failed);
});

it("a profile is not applied while nodes get a new configuration, whatever the operator reported before", () => {
  const rollout = [{ type: "UpdatingConfig", status: "True", reason: "AsExpected", message: "0 of 1" } as const];
  const of = (protocol: (typeof protocols)["documented"], text: string): unknown =>
    profileConditions({ profile, controlPlane: [status("perf-566a8046-status", text)], protocol, rollout })[0];
  expect(of(protocols.documented, available)).toMatchObject({
    status: "False",
    reason: "UpdatingConfig",
    message: "0 of 1",
  });
  expect(of(protocols.documented, degraded)).toMatchObject({ status: "False", reason: "R" });
});

it("are removed with the profile, whatever their type", () => {
  const copied = { type: "performance.operator.openshift.io/Odd", status: "True", reason: "", message: "" } as const;
  const other = { ...copied, type: "Ready" };
  expect(withConditions([copied, other], [], { generation: 2, now: "now" })).toEqual([other]);
});

it("keep the time of their last change while nothing changes (hosted W-6)", () => {
  const problem = { configMap: "c", message: "not found" };
  const set = (now: string, before: ReturnType<typeof withConditions>): ReturnType<typeof withConditions> =>
    withConditions(before, [validCondition("ValidMachineConfig", [problem])], { generation: 1, now });
  const first = set("t1", []);
  expect(set("t2", first)).toBe(first);
});

it("fit into the CRD, however much is wrong", () => {
  const problems = Array.from({ length: 10_000 }, (_, i) => ({ configMap: `c${i}`, message: "not found" }));
  expect(validCondition("ValidTuningConfig", problems).message.length).toBeLessThanOrEqual(32_768);
});

it("a ConfigMap that every NodePool has wakes all NodePools of its control plane (hosted W-4)", () => {
  const pool = (name: string, clusterName: string): NodePool => ({
    apiVersion,
    kind: "NodePool",
    metadata: { name, namespace: "clusters" },
    spec: { clusterName },
  });
  const core = { metadata: { name: "core", namespace: "clusters-a-b", labels: { [keys.coreConfig]: "true" } } };
  const pools = [pool("np1", "a.b"), pool("np2", "a.b"), pool("np3", "other")];
  expect(nodePoolsWokenBy(core, pools)).toEqual(["clusters/np1", "clusters/np2"]);
});
