import { expect, it, test } from "vitest";
import { deepFreeze } from "../../language/object/json.ts";
import type { MachineConfigPool } from "../machine-config/api.ts";
import type { Profile, ProfileStatus } from "../node-tuning/api.ts";
import { annotations, ownAnnotations } from "../rollout/node-annotations.ts";
import type { RolloutNode } from "../rollout/rollout-node.ts";
import { fleetPools, isSameForRows } from "./fleet-pools.ts";
import { type FleetRow, fleetRow, isTunable } from "./fleet-row.ts";

const worker = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  spec: { nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker": "" } } },
};
const pools = fleetPools([worker]);
const noPools = fleetPools([]);

function node(more: Partial<RolloutNode["metadata"]> = {}, ready = "True", cordoned = false): RolloutNode {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { "node-role.kubernetes.io/worker": "" }, ...more },
    spec: cordoned ? { unschedulable: true } : {},
    status: { conditions: [{ type: "Ready", status: ready }] },
  };
}

const at = "2026-01-01T00:00:00Z";
const condition = (type: string, status: "True" | "False", reason = "AsExpected", message = "") => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at,
});
const applied = condition("Applied", "True");
const deferred = condition("Applied", "False", "Deferred", "The change is waiting for the next node restart: b");
const drifted = condition("Drifted", "True", "Repaired", "another process changed vm.swappiness");

function profile(status?: Partial<ProfileStatus>, wanted = "a"): Profile {
  return {
    apiVersion: "tuned.openshift.io/v1",
    kind: "Profile",
    metadata: { name: "n", generation: 2 },
    spec: { config: { tunedProfile: wanted } },
    ...(status ? { status: { tunedProfile: "a", observedGeneration: 2, ...status } } : {}),
  };
}

const rowOf = (of: Profile | undefined, on = node(), among = pools): FleetRow =>
  fleetRow({ ...deepFreeze({ node: on, profile: of }), pools: among });

const rendered = (current: string, desired: string, state = "Done", reason = ""): RolloutNode["metadata"] => ({
  annotations: {
    [annotations.currentConfig]: current,
    [annotations.desiredConfig]: desired,
    [annotations.state]: state,
    [annotations.reason]: reason,
  },
});

test.each<[string, Profile | undefined, RolloutNode, Partial<FleetRow>]>([
  ["an applied profile", profile({ conditions: [applied] }), node(), { state: "As wanted", because: "", since: at }],
  ["no Profile", undefined, node(), { state: "Unknown", because: "it has no Profile", profile: "", inForce: "" }],
  ["no report", profile(), node(), { state: "Unknown", because: "its agent has reported nothing" }],
  [
    "a node that is not ready",
    profile({ conditions: [applied] }),
    node({}, "Unknown"),
    { state: "Unknown", because: expect.stringMatching(/not ready/) as string, ready: false },
  ],
  [
    "a report about the spec before",
    profile({ conditions: [applied], observedGeneration: 1 }),
    node(),
    { state: "Applying", because: "its agent has not applied a yet" },
  ],
  [
    "another profile in force",
    profile({ conditions: [applied] }, "b"),
    node(),
    { state: "Applying", profile: "b", inForce: "a" },
  ],
  [
    "a report of an error about the spec before",
    profile({ conditions: [applied, condition("Degraded", "True", "TunedError")], observedGeneration: 1 }),
    node(),
    { state: "Applying" },
  ],
  [
    "a change that waits for a restart",
    profile({ conditions: [deferred, condition("Degraded", "True", "TunedDeferredUpdate")] }, "b"),
    node(),
    { state: "Waiting for reboot", reboot: true, because: expect.stringMatching(/waiting for the next/) as string },
  ],
  [
    "a config on its way",
    profile({ conditions: [applied] }),
    node(rendered("x", "y", "Working")),
    { state: "Applying", reboot: false, because: "its agent applies y" },
  ],
  [
    "a config that it restarts with",
    profile({ conditions: [applied] }),
    node({
      annotations: { ...rendered("x", "y", "Working").annotations, [annotations.postConfigAction]: "Rebooting" },
    }),
    { state: "Waiting for reboot", reboot: true, because: "it restarts with y" },
  ],
  [
    "a config that failed",
    profile({ conditions: [applied] }),
    node(rendered("x", "y", "Degraded", "no space left")),
    { state: "Degraded", because: "no space left", reboot: false },
  ],
  [
    "a setting that failed, beside drift",
    profile({ conditions: [applied, condition("Degraded", "True", "TunedError", "it failed"), drifted] }),
    node(),
    { state: "Degraded", because: "it failed", drift: 1 },
  ],
  [
    "drift, of an agent that lists what drifted",
    profile({
      conditions: [applied, drifted],
      exceptions: [
        { unit: "sysctl", option: "a", state: "Repaired", since: at },
        { unit: "sysctl", option: "b", state: "Changed", since: at },
        { unit: "sysctl", option: "c", state: "Overridden", since: at },
      ],
    }),
    node(),
    { state: "Drifted", drift: 2, because: "another process changed vm.swappiness" },
  ],
])("a node with %s", (_, of, on, expected) => {
  expect(rowOf(of, on)).toMatchObject(expected);
});

type WorkerSpec = NonNullable<MachineConfigPool["spec"]>;

function rollingOut(more: WorkerSpec = {}, blocked?: string): MachineConfigPool {
  const condition = { type: "RolloutBlocked", status: "True" as const, reason: "NodeFailed", message: blocked ?? "" };
  return {
    ...worker,
    spec: { ...worker.spec, configuration: { name: "new" }, ...more },
    ...(blocked === undefined ? {} : { status: { conditions: [condition] } }),
  };
}

const draining = (record?: unknown): RolloutNode["metadata"] => ({
  annotations: {
    ...rendered("old", "new", "Working").annotations,
    [annotations.desiredDrain]: "drain-new",
    [annotations.lastAppliedDrain]: "uncordon-old",
    ...(record === undefined ? {} : { [ownAnnotations.drain]: JSON.stringify(record) }),
  },
});
const budgeted = { pod: "a/web", budgets: ["a/budget"], message: "" };
const drain = { request: "drain-new", since: at, blocked: [budgeted] };
const waits = "Waiting for config";
const old = rendered("old", "old");

// The annotations of a node name the config that it was told last: that its pool has another one by now, only the pool says.
test.each<[string, RolloutNode, MachineConfigPool, Partial<FleetRow>]>([
  ["it has the config", node(rendered("new", "new")), rollingOut(), { state: "As wanted", because: "", since: at }],
  [
    "it has the config of a paused pool",
    node(rendered("new", "new")),
    rollingOut({ paused: true }),
    { state: "As wanted" },
  ],
  [
    "its disk was replaced",
    node(rendered("new", "new", "Lost", "the node does not have new any more")),
    rollingOut(),
    { state: waits, because: "the node does not have new any more: it gets it again when its pool allows" },
  ],
  ["the pool has no config", node(old), worker, { state: "As wanted" }],
  [
    "it has not had its turn",
    node(old),
    rollingOut(),
    { state: waits, because: "other nodes of pool worker are updated first: then it gets new", reboot: false },
  ],
  ["it was never told a config", node(), rollingOut(), { state: waits }],
  [
    "the pool is paused",
    node(old),
    rollingOut({ paused: true }),
    { state: waits, because: "pool worker is paused: the node gets new when spec.paused is false" },
  ],
  [
    "another node has failed",
    node(old),
    rollingOut({}, "node m has failed"),
    { state: waits, because: "pool worker cannot go on to give it new: node m has failed" },
  ],
  [
    "it was cordoned by hand",
    node(old, "True", true),
    rollingOut(),
    { state: waits, because: "another client cordoned the node: it gets new after kubectl uncordon n" },
  ],
  [
    "it is not ready",
    node(old, "False"),
    rollingOut(),
    { state: waits, because: "the node is not ready (Ready=False): it gets new when it is ready", ready: false },
  ],
  [
    "the pool has a third config while it gets the second",
    node(rendered("older", "old", "Working")),
    rollingOut(),
    { state: waits, because: "the node finishes its update to old first: then it gets new", reboot: false },
  ],
  [
    "a budget blocks its drain",
    node(draining(drain), "True", true),
    rollingOut(),
    {
      state: waits,
      because: "its drain is blocked: pod a/web: PodDisruptionBudget a/budget allows no further disruption",
      since: at,
      reboot: false,
    },
  ],
  [
    "its drain goes on in a paused pool",
    node(draining({ ...drain, blocked: [] })),
    rollingOut({ paused: true }),
    { state: waits, because: "it is drained before it gets new", since: at },
  ],
  [
    "another operator drains it, which leaves no record",
    node(draining()),
    rollingOut(),
    { state: waits, because: "it is drained before it gets new" },
  ],
  [
    "its drain is over",
    node({ annotations: { ...draining(drain).annotations, [annotations.lastAppliedDrain]: "drain-new" } }),
    rollingOut(),
    // A file that needs no restart is drained for as well.
    { state: "Applying", because: "its agent applies new", reboot: false },
  ],
  [
    "its image is layered by another operator",
    node({
      annotations: {
        ...rendered("new", "new").annotations,
        [annotations.currentImage]: "i",
        [annotations.desiredImage]: "i",
      },
    }),
    rollingOut(),
    { state: "As wanted" },
  ],
])("in a rollout a node says how it is if %s", (_, on, pool, expected) => {
  expect(rowOf(profile({ conditions: [applied] }), on, fleetPools([pool]))).toMatchObject(expected);
});

it("is degraded where two custom pools select it, so that neither configures it", () => {
  const custom = (name: string): MachineConfigPool => ({ ...rollingOut(), metadata: { name } });
  const row = rowOf(profile({ conditions: [applied] }), node(old), fleetPools([custom("a"), custom("b")]));
  expect(row).toMatchObject({
    state: "Degraded",
    because: "it is selected by the custom pools a and b: change its labels so that only one of them selects it",
  });
});

test.each<[string, MachineConfigPool, boolean]>([
  ["counts", { ...rollingOut(), status: { machineCount: 3 } }, true],
  ["another config", rollingOut({ configuration: { name: "newer" } }), false],
  ["a pause", rollingOut({ paused: true }), false],
  ["what blocks its rollout", rollingOut({}, "node m has failed"), false],
  ["its selector", rollingOut({ nodeSelector: { matchLabels: { a: "" } } }), false],
])("rows stay as they are after an update of a pool with %s: %#", (_, updated, expected) => {
  expect(isSameForRows(rollingOut(), updated)).toBe(expected);
});

const pending = profile({ conditions: [applied], bootcmdlinePending: "quiet" });

it("waits for a restart with boot arguments of its own, where no pool brings them", () => {
  expect(rowOf(pending, node(), noPools)).toMatchObject({ state: "Waiting for reboot", reboot: true });
  expect(rowOf(pending)).toMatchObject({ state: "As wanted", reboot: false });
});

it("is in its pool, or else in the NodePool of its label", () => {
  expect(rowOf(undefined).pool).toBe("worker");
  const hosted = node({ labels: { "hypershift.openshift.io/nodePool": "np" } });
  expect([rowOf(undefined, hosted, noPools).pool, rowOf(undefined, node({ labels: {} })).pool]).toEqual(["np", ""]);
});

it("is cordoned whatever its state", () => {
  expect(rowOf(undefined, node({}, "True", true)).cordoned).toBe(true);
});

it("has a short text that no agent can hide in", () => {
  const said = `\u001b[2J${"x".repeat(400)}`;
  const { because } = rowOf(profile({ conditions: [applied, condition("Degraded", "True", "TunedError", said)] }));
  expect(because).toMatch(/^\\u001b\[2Jx+$/);
  expect(because.length).toBeLessThan(310);
});

it.each([
  [{ "kubernetes.io/os": "linux" }, true],
  [{}, true],
  [{ "kubernetes.io/os": "windows" }, false],
])("a node with labels %j has a row: %s", (labels, expected) => {
  expect(isTunable(node({ labels }))).toBe(expected);
});
