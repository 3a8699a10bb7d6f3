import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../language/object/json.ts";
import { writeYaml } from "../../language/object/write-yaml.ts";
import { type ConfigMap, formatProblem } from "../hosted/envelope/read-manifests.ts";
import { protocols } from "../hosted/protocol.ts";
import { apiVersion, type NodePool } from "./api.ts";
import { planTuning, type TuningPlan } from "./plan-tuning.ts";
import { readTuning } from "./read-tuning.ts";

function nodePool(spec: object, name = "np1"): NodePool {
  return { apiVersion, kind: "NodePool", metadata: { name, namespace: "clusters" }, spec };
}

function configMap(name: string, ...documents: (object | string)[]): ConfigMap {
  const text = documents.map((one) => (typeof one === "string" ? `${one}\n` : writeYaml(one))).join("---\n");
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "clusters" }, data: { tuning: text } };
}

const tuned = (name: string, spec: object = {}): object => ({
  apiVersion: "tuned.openshift.io/v1",
  kind: "Tuned",
  metadata: { name },
  spec,
});

const profile = (name: string, isolated = "1-3"): object => ({
  apiVersion: "performance.openshift.io/v2",
  kind: "PerformanceProfile",
  metadata: { name },
  spec: { cpu: { isolated, reserved: "0" } },
});

interface Given {
  readonly spec?: object;
  readonly user: readonly ConfigMap[];
  readonly before?: TuningPlan;
  readonly column?: "documented" | "shipped";
}

function planned({ spec, user, before, column = "documented" }: Given): TuningPlan {
  const pool = nodePool(spec ?? { tuningConfig: user.map(({ metadata }) => ({ name: metadata.name })) });
  const observed = (before?.objects ?? []).map(({ object }) => object as ConfigMap);
  const tuning = readTuning(pool, (name) => user.find(({ metadata }) => metadata.name === name));
  return planTuning(
    deepFreeze({ nodePool: pool, tuning, observed, namespace: "clusters-demo", protocol: protocols[column] }),
  );
}

function texts({ objects }: TuningPlan): Record<string, string> {
  return Object.fromEntries(
    objects.map(({ object }) => [object.metadata.name, Object.values((object as ConfigMap).data ?? {}).join("")]),
  );
}

describe("references", () => {
  it("of all three fields are united, each once, and a profile needs no node selector (hosted W-20)", () => {
    const names = [{ name: "a" }, { name: "b" }];
    const spec = { tuningConfig: names, tunedConfig: [{ name: "a" }], performanceProfileConfig: [{ name: "c" }] };
    const user = [configMap("a", tuned("one")), configMap("b", tuned("two")), configMap("c", profile("perf"))];
    const plan = planned({ spec, user });
    expect(plan.problems).toEqual([]);
    expect(Object.keys(texts(plan))).toEqual(["tuned-np1", "performanceprofile-np1"]);
    expect(texts(plan)["tuned-np1"]?.match(/^kind: Tuned$/gm)).toHaveLength(2);
  });

  it("to a ConfigMap with two keys for Tuneds are a problem that names both, one with MachineConfigs beside them is none", () => {
    const two = configMap("a", tuned("one"));
    const [text] = Object.values(two.data ?? {});
    const more = (key: string): ConfigMap => ({ ...two, data: { ...two.data, [key]: `${text}` } });
    expect(planned({ user: [more("config")] }).problems).toEqual([]);
    const plan = planned({ user: [more("tuned")] });
    expect(plan.problems.map(formatProblem)).toEqual([
      "ConfigMap a: has the keys tuning and tuned, of which tuning is used: move what is under tuned there, and remove tuned",
    ]);
    expect(texts(plan)).toEqual(texts(planned({ user: [two] })));
  });

  it("to two profiles are a problem that names both, and keep the one that nodes have", () => {
    const first = planned({ user: [configMap("a", profile("one"))] });
    const plan = planned({
      user: [configMap("a", profile("one", "2-3")), configMap("b", profile("two"))],
      before: first,
    });
    expect(plan.problems.map(formatProblem)).toEqual([
      "ConfigMap b, PerformanceProfile two: a NodePool has at most one PerformanceProfile, and ConfigMap a has one: remove one of them",
    ]);
    expect(texts(plan)).toEqual(texts(first));
  });
});

describe.each(["documented", "shipped"] as const)("what cannot be read (%s)", (column) => {
  const good = [configMap("a", tuned("one"), tuned("two")), configMap("p", profile("perf"))];
  const before = planned({ user: good, column });

  it.each<[string, ConfigMap[]]>([
    ["keeps what it gave if its ConfigMap is gone", [good[1]!]],
    ["keeps what it gave if it is no YAML", [configMap("a", "a: [1"), good[1]!]],
    [
      "keeps what it gave if it is invalid (hosted W-8)",
      [configMap("a", tuned("one"), tuned("two", { x: 1 })), good[1]!],
    ],
    ["keeps the profile if it is invalid", [good[0]!, configMap("p", profile("perf", "0-3"))]],
    ["keeps the profile if it says nothing of itself", [good[0]!, configMap("p", "kind: x")]],
  ])("%s", (_, user) => {
    const spec = { tuningConfig: [{ name: "a" }, { name: "p" }] };
    const plan = planned({ spec, user, before, column });
    expect(texts(plan)).toEqual(texts(before));
    expect(plan.prunes).toEqual([]);
    expect(plan.problems.length).toBeGreaterThan(0);
    expect(plan.profile?.object.metadata.name).toBe("perf");
  });

  it("does not keep what is no longer referred to", () => {
    const spec = { tuningConfig: [{ name: "a" }, { name: "b" }] };
    const plan = planned({ spec, user: [configMap("b", "a: [1"), configMap("a", tuned("one"))], before, column });
    expect(texts(plan)["tuned-np1"]).not.toContain("two");
    expect(plan.profile).toBeUndefined();
    expect(plan.prunes).toHaveLength(1);
  });

  it("leaves nothing when all references are removed", () => {
    const plan = planned({ spec: {}, user: good, before, column });
    expect([plan.objects, plan.problems, plan.prunes.length]).toEqual([[], [], 2]);
  });
});

describe("the two columns", () => {
  it.each([
    ["shipped", "documented", ["p-np1"]],
    ["documented", "shipped", ["performanceprofile-np1"]],
  ] as const)("from %s to %s: content stays, ConfigMaps of the other are pruned", (from, to, pruned) => {
    const user = [configMap("a", tuned("one")), configMap("p", profile("perf"))];
    const before = planned({ user, column: from });
    const spec = { tuningConfig: [{ name: "a" }, { name: "p" }] };
    // Even if nothing can be read at that moment.
    for (const now of [user, []]) {
      const plan = planned({ spec, user: now, before, column: to });
      expect(plan.prunes.map(({ metadata }) => metadata.name)).toEqual(pruned);
      expect(texts(plan)).toEqual(texts(planned({ user, column: to })));
    }
  });

  it("shorten names that no label holds, and find the author's name again", () => {
    const name = "p".repeat(60);
    const before = planned({ user: [configMap("p", profile(name))] });
    const plan = planned({ spec: { tuningConfig: [{ name: "p" }] }, user: [], before });
    expect(plan.profile?.object.metadata).toEqual({ name });
    expect(texts(plan)).toEqual(texts(before));
  });
});

it("a name that another NodePool has is a problem, and stays with it (hosted W-9)", () => {
  const taken = planned({ user: [configMap("x-y", profile("two"))], column: "shipped" });
  const pool = nodePool({ tuningConfig: [{ name: "x" }] }, "y-np1");
  const tuning = readTuning(pool, () => configMap("x", profile("one")));
  const observed = taken.objects.map(({ object }) => object as ConfigMap);
  const plan = planTuning({
    nodePool: pool,
    tuning,
    observed,
    namespace: "clusters-demo",
    protocol: protocols.shipped,
  });
  expect(plan.objects).toEqual([]);
  expect(plan.prunes).toEqual([]);
  expect(plan.problems.map(formatProblem)).toEqual([
    "ConfigMap x-y-np1: cannot be written to the control plane namespace: NodePool np1 has it",
  ]);
});

it("a Tuned with the name of the one that is derived from the profile is a problem, and takes no place, also if it was first", () => {
  const user = [
    configMap("t", tuned("openshift-node-performance-perf"), tuned("other")),
    configMap("p", profile("perf")),
  ];
  for (const before of [nothing, planned({ user: user.slice(0, 1) })]) {
    const plan = planned({ user, before });
    expect(plan.problems.map(formatProblem)).toEqual([
      "ConfigMap t, Tuned openshift-node-performance-perf: the PerformanceProfile of the NodePool makes a Tuned of this name, which is used instead: choose another name",
    ]);
    expect(texts(plan)["tuned-np1"]?.match(/^kind: Tuned$/gm)).toHaveLength(1);
  }
});

it.each<[string, Place, string[]]>([
  ["that is being deleted", { deletionTimestamp: "2026-01-01T00:00:00Z" }, []],
  ["that is immutable", { immutable: true }, ["p1-np1"]],
  ["that is there", {}, ["p2-np1"]],
])("a profile stays until the next one has its place: one %s", (_, { deletionTimestamp, ...more }, pruned) => {
  const user = [configMap("p1", profile("one")), configMap("p2", profile("two"))];
  const [next, last] = user.map((one) => planned({ user: [one], column: "shipped" }).objects[0]!);
  const object = { ...next!.object, metadata: { ...next!.object.metadata, deletionTimestamp }, ...more };
  const before = { ...nothing, objects: [{ ...next!, object }, last!] };
  const plan = planned({ user: user.slice(0, 1), before, column: "shipped" });
  expect(plan.prunes.map(({ metadata }) => metadata.name)).toEqual(pruned);
});

interface Place {
  readonly deletionTimestamp?: string;
  readonly immutable?: boolean;
}

const nothing: TuningPlan = { objects: [], prunes: [], problems: [], profile: undefined };
