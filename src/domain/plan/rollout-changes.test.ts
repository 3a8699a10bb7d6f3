import { expect, it, test } from "vitest";
import { hashOf } from "../../language/object/hash.ts";
import { deepFreeze } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { apiVersion, type MachineConfig, type MachineConfigPool, roleLabel } from "../machine-config/api.ts";
import { defaultPolicy } from "../machine-config/cost/disruption-policy.ts";
import { tuningNamespace as namespace } from "../node-tuning/api.ts";
import { annotations } from "../rollout/node-annotations.ts";
import type { ChangePlan } from "./change-plan.ts";
import { planChanges } from "./plan-changes.ts";
import type { RolloutState } from "./rollout-changes.ts";

const role = "node-role.kubernetes.io/rt";

function pool(spec: MachineConfigPool["spec"] = {}, name = "rt"): MachineConfigPool {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name, labels: { pool: name } },
    spec: {
      nodeSelector: { matchLabels: { [role]: "" } },
      machineConfigSelector: { matchLabels: { [roleLabel]: "rt" } },
      ...spec,
    },
  };
}

function node(
  name: string,
  more: { config?: string; unschedulable?: boolean; ready?: string; runtime?: string } = {},
): KubeObject {
  const { config, unschedulable = false, ready = "True", runtime = "" } = more;
  const said = config && {
    [annotations.currentConfig]: config,
    [annotations.desiredConfig]: config,
    [annotations.state]: "Done",
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": "linux", [role]: "" }, ...(said ? { annotations: said } : {}) },
    spec: { unschedulable },
    status: {
      conditions: [{ type: "Ready", status: ready }],
      ...(runtime === "" ? {} : { nodeInfo: { containerRuntimeVersion: runtime } }),
    },
  };
}

function config(name: string, spec: NonNullable<MachineConfig["spec"]>): MachineConfig {
  return { apiVersion, kind: "MachineConfig", metadata: { name, labels: { [roleLabel]: "rt" } }, spec };
}

const boots = config("50-boot", { kernelArguments: ["quiet"] });

interface World {
  readonly pools?: readonly MachineConfigPool[];
  readonly nodes?: readonly KubeObject[];
  readonly machineConfigs?: readonly MachineConfig[];
  readonly rollout?: Partial<RolloutState>;
}

function plan(written: readonly KubeObject[], world: World = {}): ChangePlan {
  const { pools = [pool()], nodes = [node("a"), node("b"), node("c")], machineConfigs = [], rollout = {} } = world;
  const find = ({ kind, metadata }: KubeObject): KubeObject | undefined =>
    [...pools, ...machineConfigs, ...nodes, ...(rollout.kubeletConfigs ?? [])].find(
      (one) => one.kind === kind && one.metadata.name === metadata.name,
    );
  const result = planChanges(
    deepFreeze({
      writes: written.map((after) => ({ place: "f.yaml", before: find(after), after })),
      cluster: {
        nodes,
        profiles: [],
        performanceProfiles: [],
        derived: [],
        rollout: {
          kubeletConfigs: [],
          containerRuntimeConfigs: [],
          policy: defaultPolicy,
          blocked: [],
          isOurs: true,
          digest: (parts: Iterable<Uint8Array>) => hashOf([...parts].map(String)),
          ...rollout,
        },
        tuning: {
          tuneds: [],
          nodes,
          profiles: [],
          pools,
          machineConfigs,
          status: { type: "ConfigMap", observed: undefined },
          agent: { namespace, image: "", serviceAccount: "", release: "" },
          protocol: "documented",
          namespace,
          version: "1",
          now: "2026-01-01T00:00:00Z",
        },
      },
    }),
  );
  if (result.type !== "planned") throw new Error(result.problems.join("; "));
  return result.plan;
}

test("a MachineConfig that a pool does not select any more is named as what changes its config", () => {
  const leaving = { ...boots, metadata: { ...boots.metadata, labels: {} } };
  const { pools } = plan([leaving], { machineConfigs: [boots, config("60-more", { kernelArguments: ["audit=0"] })] });
  expect(pools).toMatchObject([
    {
      pool: "rt",
      objects: [{ kind: "MachineConfig", name: "50-boot", change: "change" }],
      updates: [{ level: "reboot" }],
    },
  ]);
});

test.each<[string, World, readonly KubeObject[], string[]]>([
  ["nothing in a healthy pool", {}, [boots], []],
  [
    "a paused pool",
    { pools: [pool({ paused: true })] },
    [boots],
    ["pool rt is paused: no node changes until spec.paused is false"],
  ],
  [
    "a node that another client cordoned",
    { nodes: [node("a"), node("b", { unschedulable: true })] },
    [boots],
    ["node b was cordoned by another client: it is updated after kubectl uncordon b"],
  ],
  [
    "a node that uses the whole budget",
    { nodes: [node("a"), node("b", { config: "rendered-rt-1", ready: "False" })] },
    [boots],
    ["node b is not ready (Ready=False) and counts as unavailable: spec.maxUnavailable allows no other node"],
  ],
  [
    "a pod whose budget allows no disruption",
    { rollout: { blocked: [{ node: "b", pod: "shop/web", budgets: ["shop/keep"], message: "" }] } },
    [boots],
    ["node b cannot be drained: pod shop/web: PodDisruptionBudget shop/keep allows no further disruption"],
  ],
  [
    "no pod where nothing is drained",
    { rollout: { blocked: [{ node: "b", pod: "shop/web", budgets: ["shop/keep"], message: "" }] } },
    [
      config("50-keys", {
        config: {
          ignition: { version: "3.2.0" },
          passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-ed25519 A"] }] },
        },
      }),
    ],
    [],
  ],
  [
    "a budget that is no number",
    { pools: [pool({ maxUnavailable: "many" })] },
    [boots],
    ['spec.maxUnavailable: "many" is neither a number of nodes nor a percentage such as "10%"'],
  ],
])("a plan says what a rollout waits for: %s", (_, world, written, expected) => {
  const [change] = plan(written, world).pools;
  expect(change?.waits.map(({ message }) => message)).toEqual(expected);
});

/** machine-config W-19 */
it("names a node that two custom pools select, and does not say that it changes for only one", () => {
  const pools = [pool(), pool({}, "second")];
  const [first, second] = plan([boots], { pools, nodes: [node("a")] }).pools;
  for (const change of [first, second])
    expect(change?.waits).toEqual([
      { reason: "NodesInSeveralPools", message: expect.stringContaining("rt and second") },
    ]);
});

it("compares with the config that each node has, and says what each must do", () => {
  const rendered = config("rendered-rt-1", { kernelArguments: ["quiet"] });
  const world = {
    pools: [pool({ maxUnavailable: 2, configuration: { name: "rendered-rt-1" } })],
    machineConfigs: [boots, { ...rendered, metadata: { ...rendered.metadata, labels: {} } }],
    nodes: [node("new"), node("old", { config: "rendered-rt-1" })],
  };
  const keys = { users: [{ name: "core", sshAuthorizedKeys: ["ssh-ed25519 A"] }] };
  const written = config("60-keys", { config: { ignition: { version: "3.2.0" }, passwd: keys } });
  const [change] = plan([written], world).pools;
  expect(change?.updates.map(({ nodes, level, because }) => [nodes, level, because])).toEqual([
    [["new"], "reboot", ["boot arguments"]],
    [["old"], "nothing", []],
  ]);
  expect([change?.order, change?.atOnce]).toEqual([["new", "old"], 2]);
});

it("asks nothing of a node for what only CRI-O reads, where another runtime runs", () => {
  const nodes = [
    node("a", { runtime: "containerd://2.1.4" }),
    node("b", { runtime: "cri-o://1.33.2" }),
    node("c", { runtime: "containerd://1.7.0" }),
    node("d"),
  ];
  const file = (path: string): object => ({ path, contents: { source: "data:,a" } });
  const files = [file("/etc/containers/policy.json"), file("/etc/crio/crio.conf.d/01-ctrcfg-logLevel")];
  const written = (used: object[]): KubeObject =>
    config("60-runtime", { config: { ignition: { version: "3.2.0" }, storage: { files: used } } });
  const levels = (used: object[]): unknown =>
    plan([written(used)], { nodes }).pools.flatMap(({ updates }) =>
      updates.map(({ nodes: names, level, actions }) => [names, level, actions]),
    );
  expect(levels(files)).toEqual([
    [["a", "c"], "nothing", []],
    [["b", "d"], "reboot", [{ type: "Reboot" }]],
  ]);
  expect(levels(files.slice(0, 1))).toEqual([
    [["a", "c"], "nothing", []],
    [["b", "d"], "reload", [{ type: "Reload", service: "crio.service" }]],
  ]);
});

it.each([
  [true, "nothing"],
  [false, "reboot"],
])("a kernel type costs nothing where Attune, which installs none, rolls out (%s)", (isOurs, level) => {
  const [change] = plan([config("60-kernel", { kernelType: "realtime" })], { rollout: { isOurs } }).pools;
  expect(change?.updates).toMatchObject([{ level }]);
});

it("tells the node of the operator last", () => {
  const [change] = plan([boots], { rollout: { operatorNode: "a" } }).pools;
  expect(change?.order).toEqual(["b", "c", "a"]);
  expect(change?.updates.map(({ nodes }) => nodes)).toEqual([["b", "c", "a"]]);
  expect(change?.waits).toEqual([
    { reason: "OperatorNode", message: "node a is updated last: the operator runs there" },
  ]);
  const [alone] = plan([boots], { nodes: [node("a")], rollout: { operatorNode: "a" } }).pools;
  expect([alone?.order, alone?.waits]).toEqual([["a"], []]);
});

function pooled(kind: string, name: string, settings: object, selected = "rt"): KubeObject {
  const field = kind === "KubeletConfig" ? "kubeletConfig" : "containerRuntimeConfig";
  const machineConfigPoolSelector = { matchLabels: { pool: selected } };
  return { apiVersion, kind, metadata: { name }, spec: { machineConfigPoolSelector, [field]: settings } };
}

it("names what is wrong with a KubeletConfig, what it overrides, and what has no effect", () => {
  const older = pooled("KubeletConfig", "older", { maxPods: 100 });
  const rollout = {
    kubeletConfigs: [{ ...older, metadata: { name: "older", creationTimestamp: "2025-01-01T00:00:00Z" } }],
  } as Partial<RolloutState>;
  const findings = (object: KubeObject, more: World = {}): unknown =>
    plan([object], { rollout, ...more }).findings.map(({ severity, about, message }) => [severity, about, message]);
  expect(findings(pooled("KubeletConfig", "new", { maxPods: 200 }))).toEqual([
    [
      "warning",
      "KubeletConfig new",
      "pool rt: spec.kubeletConfig.maxPods is used from here, and not from older, which is older",
    ],
  ]);
  expect(findings(pooled("KubeletConfig", "bad", { cgroupDriver: "x" }, "nothing"))).toEqual([
    ["error", "KubeletConfig bad", expect.stringMatching(/^spec\.machineConfigPoolSelector: .*; it has no effect$/)],
  ]);
  expect(findings(older)).toEqual([]);
  const nodes = [node("a", { runtime: "containerd://2.1.4" }), node("b", { runtime: "cri-o://1.33.2" })];
  expect(findings(pooled("ContainerRuntimeConfig", "log", { logLevel: "debug" }), { nodes })).toEqual([
    ["warning", "ContainerRuntimeConfig log", "no effect on nodes that do not run CRI-O: a"],
  ]);
});

it("names the object that changes a pool which inherits from the selected one", () => {
  const worker = pool(
    {
      nodeSelector: { matchLabels: { worker: "" } },
      machineConfigSelector: { matchLabels: { [roleLabel]: "worker" } },
    },
    "worker",
  );
  const inherits = { matchExpressions: [{ key: roleLabel, operator: "In", values: ["worker", "rt"] }] };
  const pools = [pool({ machineConfigSelector: inherits }), worker];
  const { pools: changes } = plan([pooled("KubeletConfig", "new", { maxPods: 200 }, "worker")], { pools });
  expect(changes.map((change) => [change.pool, change.objects])).toEqual([
    ["rt", [{ kind: "KubeletConfig", name: "new", change: "create" }]],
    ["worker", [{ kind: "KubeletConfig", name: "new", change: "create" }]],
  ]);
});

it("lists nodes together to which the same happens, whatever they have now", () => {
  const told = node("b");
  const annotated = { ...told.metadata, annotations: { [annotations.desiredConfig]: "rendered-rt-0" } };
  const [change] = plan([boots], { nodes: [node("a"), { ...told, metadata: annotated }, node("c")] }).pools;
  expect(change?.updates.map(({ nodes }) => nodes)).toEqual([["a", "b", "c"]]);
});

it("names nodes in the order in which they are told: oldest first, then by name", () => {
  const created = (name: string, second: number): KubeObject => {
    const made = node(name);
    return { ...made, metadata: { ...made.metadata, creationTimestamp: `2026-01-01T00:00:0${second}Z` } };
  };
  const nodes = [created("c", 2), created("a", 2), created("b", 1)];
  const [change] = plan([boots], { nodes }).pools;
  expect(change?.updates.map((update) => update.nodes)).toEqual([["b", "a", "c"]]);
  expect(change?.order).toEqual(["b", "a", "c"]);
});

it("plans what resuming a pool does, and nothing for a change that changes no content", () => {
  const rendered = config("rendered-rt-1", {});
  const paused = pool({ paused: true, configuration: { name: "rendered-rt-1" } });
  const machineConfigs = [boots, { ...rendered, metadata: { ...rendered.metadata, labels: {} } }];
  const world = { pools: [paused], machineConfigs, nodes: [node("a", { config: "rendered-rt-1" })] };
  const resumed = { ...paused, spec: { ...paused.spec, paused: false } };
  expect(plan([resumed], world).pools).toMatchObject([
    {
      objects: [{ kind: "MachineConfigPool", change: "change" }],
      updates: [{ nodes: ["a"], level: "reboot" }],
      waits: [],
    },
  ]);
  const relabelled = { ...boots, metadata: { ...boots.metadata, annotations: { note: "1" } } };
  expect(plan([relabelled], { ...world, pools: [pool({ configuration: { name: "rendered-rt-1" } })] }).pools).toEqual(
    [],
  );
});

it("names a MachineConfig that a running node cannot change to, and plans nothing for its pool", () => {
  const rendered = config("rendered-rt-1", { fips: false });
  const world = {
    pools: [pool({ configuration: { name: "rendered-rt-1" } })],
    machineConfigs: [{ ...rendered, metadata: { ...rendered.metadata, labels: {} } }],
  };
  const { pools, findings } = plan([config("60-fips", { fips: true })], world);
  expect(pools).toEqual([]);
  expect(findings).toMatchObject([{ severity: "error", about: "MachineConfig 60-fips" }]);
  expect(findings[0]?.message).toMatch(/; no node of rt changes until it is corrected$/);
});
