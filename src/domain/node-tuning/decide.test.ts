import type { Labels } from "../machine-config/pools.ts";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../language/object/json.ts";
import { type Condition, findCondition } from "../../language/object/condition.ts";
import type { Plan } from "../../language/object/plan.ts";
import { apiVersion, type Match, type Profile, type Recommend, type Tuned, type TunedSpec } from "./api.ts";
import { decideNodeTuning, type NodeTuningInput } from "./decide.ts";
import { defaultTuned } from "./default-tuned.ts";
import type { NodeFacts } from "./node-profile.ts";
import type { ClusterOperator } from "./status/operator-status.ts";

const namespace = "tuning";
const now = "2026-01-01T00:00:00Z";

function tuned(name: string, spec: TunedSpec, annotations?: Record<string, string>): Tuned {
  return { apiVersion, kind: "Tuned", metadata: { name, namespace, generation: 3, annotations }, spec };
}

/** Tuneds that define what they recommend. */
function defining(name: string, recommend: readonly Recommend[], annotations?: Record<string, string>): Tuned {
  const names = new Set(recommend.map(({ profile }) => profile));
  const profile = Array.from(names, (of) => ({ name: of, data: "" }));
  return tuned(name, { profile, recommend: [...recommend] }, annotations);
}

function rule(profile: string, priority: number, more: Partial<Recommend> = {}): Recommend {
  return { profile, priority, ...more };
}

function node(name: string, labels: Record<string, string> = {}, providerID?: string): NodeFacts {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/os": "linux", ...labels } },
    spec: { providerID },
  };
}

const surroundings = {
  status: { type: "ConfigMap", observed: undefined },
  agent: { namespace, image: "attune", serviceAccount: "agent", release: "" },
  protocol: "documented",
  version: "1",
  namespace,
  now,
} as const;

function decide(input: Partial<NodeTuningInput>): Plan {
  return decideNodeTuning(deepFreeze({ tuneds: [], nodes: [node("n")], profiles: [], ...surroundings, ...input }));
}

/** The profile that each node gets. */
function chosen(plan: Plan): Record<string, string> {
  const profiles = plan.objects
    .map(({ object }) => object)
    .filter((object): object is Profile => object.kind === "Profile");
  return Object.fromEntries(profiles.map(({ metadata, spec }) => [metadata.name, spec.config.tunedProfile]));
}

function valid(plan: Plan, name: string): Condition | undefined {
  const status = plan.statuses.find(({ of }) => of.metadata.name === name)?.status as Tuned["status"];
  return status?.conditions?.find(({ type }) => type === "Valid");
}

describe("which profile a node gets", () => {
  const role = (name: string): Record<string, string> => ({ [`node-role.kubernetes.io/${name}`]: "" });

  test.each([
    { name: "a worker", labels: role("worker"), expected: "openshift-node" },
    { name: "a control plane node", labels: role("control-plane"), expected: "openshift-control-plane" },
    { name: "an infrastructure node", labels: role("infra"), expected: "openshift-control-plane" },
    { name: "a node of an older role", labels: role("master"), expected: "openshift-node" },
  ])("without any Tuned, $name gets $expected", ({ labels, expected }) => {
    expect(chosen(decide({ nodes: [node("n", labels)] }))).toEqual({ n: expected });
  });

  test("only Linux nodes get one", () => {
    const windows = node("w", { "kubernetes.io/os": "windows" });
    expect(chosen(decide({ nodes: [windows, { ...windows, metadata: { name: "unknown" } }] }))).toEqual({});
  });

  test.each([
    { name: "the lowest priority wins", a: [rule("p1", 20)], b: [rule("p2", 10)], expected: "p2" },
    { name: "zero is a priority", a: [rule("p1", 1)], b: [rule("p2", 0)], expected: "p2" },
    { name: "of equal ones the Tuned's name decides", a: [rule("p1", 20)], b: [rule("p2", 20)], expected: "p1" },
    {
      name: "within a Tuned the place in the list decides",
      a: [rule("p2", 20), rule("p1", 20)],
      b: [],
      expected: "p2",
    },
    { name: "a rule below the default's is not reached", a: [rule("p1", 41)], b: [], expected: "openshift-node" },
    {
      name: "a rule that does not match is skipped",
      a: [rule("p1", 1, { match: [{ label: "x" }] })],
      b: [rule("p2", 2)],
      expected: "p2",
    },
    { name: "an empty match holds everywhere", a: [rule("p1", 1, { match: [] })], b: [], expected: "p1" },
  ])("$name", ({ a, b, expected }) => {
    const tuneds = [defining("b", b), defining("a", a)];
    expect(chosen(decide({ tuneds }))).toEqual({ n: expected });
  });

  describe("that no node can use", () => {
    const broken = {
      a: "[main\n",
      b: "[main]\ninclude=nowhere\n",
      c: "[main]\ninclude=b\n",
      section: "[sysctll]\nvm.swappiness=1\n[sysctl]\nvm.dirty_ratio=1\n",
      option: "[cpu]\ngovernorr=performance\n",
      type: "[mine]\ntype=nosuch\n",
      variable: "[sysctl]\nvm.swappiness=${undefined}\n",
      function: "[sysctl]\nvm.swappiness=${f:nosuch:1}\n",
      value: "[sysctl]\nvm.swappiness=abc\n",
      included: "[main]\ninclude=openshift-node,option\n",
    };
    const texts = Object.entries(broken).map(([name, data]) => ({ name, data }));
    const valued = defining("valid", [rule("good", 30)]);

    test.each(["ghost", "../../x", ...Object.keys(broken)])(
      "%j never wins over a valid one (Q-17, W-18)",
      (profile) => {
        const plan = decide({ tuneds: [tuned("t", { profile: texts, recommend: [rule(profile, 1)] }), valued] });
        expect(chosen(plan)).toEqual({ n: "good" });
        expect(valid(plan, "t")).toMatchObject({ status: "False", reason: "InvalidConfiguration" });
        expect(plan.events).toContainEqual(
          expect.objectContaining({ type: "Warning", reason: "InvalidConfiguration" }),
        );
        expect(valid(plan, "valid")).toMatchObject({ status: "True", reason: "AsExpected" });
      },
    );

    const had = (data: string): Profile => ({
      apiVersion,
      kind: "Profile",
      metadata: { name: "n", namespace },
      spec: { config: { tunedProfile: "a" }, profile: [{ name: "a", data }] },
    });
    const edited = tuned("t", { profile: texts, recommend: [rule("a", 1)] });

    test.each(["[main\n", "[sysctll]\nx=1\n"])(
      "leaves a node that has it the last text that could be used: %j",
      (data) => {
        const now = tuned("t", { profile: [{ name: "a", data }], recommend: [rule("a", 1)] });
        const plan = decide({ tuneds: [now, valued], profiles: [had("[main]\nsummary=old\n")] });
        expect(plan.objects.find(({ object }) => object.kind === "Profile")?.object).toMatchObject({
          spec: { config: { tunedProfile: "a" }, profile: [{ name: "a", data: "[main]\nsummary=old\n" }] },
        });
      },
    );

    test("is used on nodes that have it in their own folders", () => {
      const reports = ["vendor", "none"].map((name): Profile => ({
        apiVersion,
        kind: "Profile",
        metadata: { name, namespace },
        spec: { config: { tunedProfile: "good" } },
        status: { tunedProfile: "good", ...(name === "vendor" ? { hostProfiles: ["ghost"] } : {}) },
      }));
      const of = tuned("t", {
        profile: [{ name: "mine", data: "[main]\ninclude=ghost\n" }],
        recommend: [rule("mine", 1)],
      });
      const plan = decide({ tuneds: [of, valued], nodes: [node("vendor"), node("none")], profiles: reports });
      expect(chosen(plan)).toEqual({ vendor: "mine", none: "good" });
      expect(valid(plan, "t")).toMatchObject({ status: "True", reason: "AsExpected" });
    });

    test("is named in the status of the operator, for nodes that keep its last text and for others", () => {
      const daemonSet = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: {}, status: { numberAvailable: 1 } };
      const status = { type: "ClusterOperator", observed: undefined } as const;
      const conditions = [{ type: "Applied", status: "True" }] as Condition[];
      const applied = { ...had("[main]\nsummary=old\n"), status: { tunedProfile: "a", conditions } };
      for (const profiles of [[], [applied]]) {
        const plan = decide({ tuneds: [edited, valued], daemonSet, status, profiles });
        const written = plan.statuses.find(({ of }) => of.kind === "ClusterOperator")
          ?.status as ClusterOperator["status"];
        expect(findCondition(written?.conditions, "Available")).toMatchObject({
          status: "True",
          reason: "ProfileDegraded",
          message: expect.stringContaining("such as n: Tuned t recommend[0].profile: ") as string,
        });
      }
    });

    test("is taken from a node whose text cannot be used either", () => {
      expect(chosen(decide({ tuneds: [edited, valued], profiles: [had("[main\n")] }))).toEqual({ n: "good" });
    });
  });

  test("a misspelt sysctl is a possible mistake, with an event, and its profile may be chosen", () => {
    const profile = [{ name: "p", data: "[sysctl]\nvm.swapiness=1\n" }];
    const plan = decide({ tuneds: [tuned("t", { profile, recommend: [rule("p", 1)] })] });
    expect(chosen(plan)).toEqual({ n: "p" });
    const message = 'profile[0].data:2: sysctl vm.swapiness is not known; did you mean "vm.swappiness"?';
    expect(valid(plan, "t")).toMatchObject({ status: "True", reason: "PossibleMistake", message });
    expect(plan.events).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "PossibleMistake", message }),
    );
  });

  test("ties are reported on the Tuneds concerned, once for all nodes", () => {
    const tuneds = [defining("a", [rule("p1", 20)]), defining("b", [rule("p2", 20)])];
    const all = [...tuneds, defaultTuned(namespace)];
    const plan = decide({ tuneds: all, nodes: [node("n1"), node("n2"), node("n3")] });
    const message =
      "Tuned a recommend[0] (profile p1, priority 20) and Tuned b recommend[0] (profile p2, priority 20) both match node n1 and 2 more: the first is used";
    expect(valid(plan, "a")).toMatchObject({ status: "True", reason: "AsExpected", message });
    expect(valid(plan, "b")).toMatchObject({ status: "True", message });
    expect(valid(plan, "default")).toMatchObject({ status: "True", message: "" });
  });

  test("the default Tuned gets no status before it exists", () => {
    expect(valid(decide({ tuneds: [] }), "default")).toBeUndefined();
  });
});

describe("a tree of labels", () => {
  const tree: Match[] = [
    { label: "x", match: [{ label: "y" }, { label: "z", value: "1" }] },
    { label: "w", type: "node" },
  ];
  test.each([
    [{ x: "" }, false],
    [{ x: "", y: "any" }, true],
    [{ x: "", z: "1" }, true],
    [{ x: "", z: "2" }, false],
    [{ y: "", z: "1" }, false],
    [{ w: "" }, true],
    [{}, false],
  ])("(x and (y or z=1)) or w, with %j: %j", (labels, expected) => {
    const plan = decide({
      tuneds: [defining("a", [rule("p", 1, { match: tree })])],
      nodes: [node("n", labels)],
    });
    expect(chosen(plan)).toEqual({ n: expected ? "p" : "openshift-node" });
  });

  test.each<{ name: string; match: Match[]; labels: Record<string, string>; expected: string }>([
    {
      name: "an empty value means that value",
      match: [{ label: "x", value: "" }],
      labels: { x: "1" },
      expected: "openshift-node",
    },
    {
      name: "below, an entry without a label matches",
      match: [{ label: "x", match: [{}] }],
      labels: { x: "" },
      expected: "p",
    },
    {
      name: "below, an empty label matches no node",
      match: [{ label: "x", match: [{ label: "" }] }],
      labels: { x: "" },
      expected: "openshift-node",
    },
    {
      name: "below, an unknown type means the node",
      match: [{ label: "x", match: [{ label: "x", type: "zebra" }] }],
      labels: { x: "" },
      expected: "p",
    },
    {
      name: "names of inherited properties are ordinary labels",
      match: [{ label: "constructor" }],
      labels: {},
      expected: "openshift-node",
    },
  ])("$name", ({ match, labels, expected }) => {
    const plan = decide({ tuneds: [defining("a", [rule("p", 1, { match })])], nodes: [node("n", labels)] });
    expect(chosen(plan)).toEqual({ n: expected });
  });

  function nested(depth: number): Match[] {
    let match: Match[] = [{ label: "x" }];
    for (let i = 0; i < depth; i++) match = [{ label: "x", match }];
    return match;
  }

  const bad = (match: unknown): Match[] => [{ label: "x", match: match as Match[] }];
  test.each([
    { match: bad("text"), message: "recommend[0].match[0].match is not a list; the rule is not used" },
    { match: bad([null]), message: "recommend[0].match[0].match[0] is not an object; the rule is not used" },
    {
      match: bad([{ label: 3 }]),
      message: "recommend[0].match[0].match[0].label is not a string; the rule is not used",
    },
    { match: nested(10_000), message: expect.stringMatching(/is nested more than 50 deep; the rule is not used$/) },
  ])("that is invalid makes its Tuned invalid and does not affect others ($message)", ({ match, message }) => {
    const tuneds = [defining("bad", [rule("p", 1, { match })]), defining("good", [rule("q", 2)])];
    const plan = decideNodeTuning({ tuneds, nodes: [node("n", { x: "" })], profiles: [], ...surroundings });
    expect(chosen(plan)).toEqual({ n: "q" });
    expect(valid(plan, "bad")).toMatchObject({ status: "False", reason: "InvalidConfiguration", message });
    expect(valid(plan, "good")).toMatchObject({ status: "True" });
  });
});

describe("labels of pods", () => {
  const tuneds = [defining("a", [rule("p", 1, { match: [{ label: "app", value: "db", type: "pod" }] })])];
  const podsOn = (name: string): Labels[] => (name === "n" ? [{ x: "1" }, { app: "db" }] : [{ app: "web" }]);

  test("match any pod on the node, and not the node itself", () => {
    const plan = decide({ tuneds, podsOn, nodes: [node("n"), node("m", { app: "db" })] });
    expect(chosen(plan)).toEqual({ n: "p", m: "openshift-node" });
  });

  test("are deprecated: the status of the Tuned says so, and the rule is used", () => {
    expect(valid(decide({ tuneds, podsOn }), "a")).toMatchObject({ status: "False", reason: "InvalidConfiguration" });
  });

  test("are not read if no rule matches them", () => {
    const plan = decide({
      podsOn: () => {
        throw new Error("must not be called");
      },
    });
    expect(chosen(plan)).toEqual({ n: "openshift-node" });
  });
});

test.each([
  ["always", "always"],
  ["update", "update"],
  ["never", undefined],
  ["Always", undefined],
])("a Tuned deferred %j makes its Profiles deferred %j", (mode, expected) => {
  const plan = decide({
    tuneds: [defining("a", [rule("p", 1)], { "tuned.openshift.io/deferred": mode })],
  });
  const planned = plan.objects.find(({ object }) => object.kind === "Profile");
  expect(planned?.object.metadata.annotations?.["tuned.openshift.io/deferred"]).toBe(expected);
  expect(planned?.absentAnnotations).toEqual(expected ? undefined : ["tuned.openshift.io/deferred"]);
});

describe("the Profile", () => {
  test("has the rule's options, the provider and all that its profile may include, sorted (W-1, W-12)", () => {
    const texts = [
      { name: "z", data: "[main]\ninclude=y,-nosuch\n" },
      { name: "y", data: "[main]\ninclude=z,openshift-node\n" },
      { name: "provider-aws", data: "" },
      { name: "other", data: "" },
    ];
    const operand = { debug: true, verbosity: 2, tunedConfig: { reapply_sysctl: false } };
    const tuneds = [tuned("a", { profile: texts, recommend: [rule("z", 1, { operand })] })];
    const plan = decide({ tuneds, nodes: [node("n", {}, "aws:///zone/i-0")] });
    expect(plan.objects.find(({ object }) => object.kind === "Profile")).toMatchObject({
      owns: "whole",
      because: "Tuned a recommend[0] (profile z, priority 1)",
      object: {
        metadata: { name: "n", namespace },
        spec: {
          config: {
            tunedProfile: "z",
            debug: true,
            verbosity: 2,
            tunedConfig: { reapply_sysctl: false },
            providerName: "aws",
          },
          profile: [{ name: "openshift" }, { name: "provider-aws" }, { name: "y" }, { name: "z" }],
        },
      },
    });
  });

  test("has every text if the rule names several profiles", () => {
    const texts = ["b", "a"].map((name) => ({ name, data: "" }));
    const plan = decide({ tuneds: [tuned("t", { profile: texts, recommend: [rule("a b", 1)] })] });
    expect(plan.objects.find(({ object }) => object.kind === "Profile")?.object).toMatchObject({
      spec: { profile: [{ name: "a" }, { name: "b" }, { name: "openshift" }] },
    });
  });

  test("of a deleted node is deleted, that of a node which is no longer Linux stays", () => {
    const profile = (name: string): Profile => ({
      apiVersion,
      kind: "Profile",
      metadata: { name, namespace, uid: `uid-${name}` },
      spec: { config: { tunedProfile: "p" } },
    });
    const plan = decide({
      nodes: [node("w", { "kubernetes.io/os": "windows" })],
      profiles: [profile("w"), profile("gone")],
    });
    expect(plan.prunes).toEqual([
      { apiVersion, kind: "Profile", metadata: { name: "gone", namespace, uid: "uid-gone" } },
    ]);
  });
});

describe("one name with two texts", () => {
  const tuneds = [
    tuned("a", { profile: [{ name: "p", data: "# 1" }], recommend: [rule("p", 1, { match: [{ label: "p" }] })] }),
    tuned("b", { profile: [{ name: "p", data: "# 2" }] }),
    tuned("c", { profile: [{ name: "q", data: "[main]\n" }], recommend: [rule("q", 2)] }),
  ];
  const plan = decide({ tuneds, nodes: [node("needs", { p: "" }), node("other")] });

  test("keeps the nodes that need it as they are, and updates all others (Q-4)", () => {
    expect(chosen(plan)).toEqual({ other: "q" });
  });

  test("makes every Tuned that defines it invalid", () => {
    const message = 'profile "p" is defined differently in Tuneds a and b: affected nodes keep their current profile';
    for (const name of ["a", "b"])
      expect(valid(plan, name)).toMatchObject({ status: "False", reason: "InvalidConfiguration", message });
    expect(valid(plan, "c")).toMatchObject({ status: "True" });
  });

  test("and equal texts is no conflict", () => {
    const same = ["a", "b"].map((name) =>
      tuned(name, { profile: [{ name: "p", data: "" }], recommend: [rule("p", 1)] }),
    );
    expect(chosen(decide({ tuneds: same }))).toEqual({ n: "p" });
  });
});

describe("the Tuned named default", () => {
  test("is created, and has the shipped spec even before", () => {
    const edited = tuned("default", { recommend: [rule("mine", 1)], profile: [] });
    const plan = decide({ tuneds: [edited] });
    expect(plan.objects[0]).toMatchObject({ owns: "fields", object: defaultTuned(namespace) });
    expect(chosen(plan)).toEqual({ n: "openshift-node" });
  });

  const profiles: Profile[] = [
    { apiVersion, kind: "Profile", metadata: { name: "n", namespace }, spec: { config: { tunedProfile: "p" } } },
  ];

  test.each([
    { managementState: "Managed", written: 1, pruned: 0 },
    { managementState: "Force", written: 1, pruned: 0 },
    { managementState: "Unmanaged", written: 0, pruned: 0 },
    { managementState: "Removed", written: 0, pruned: 1 },
  ] as const)("with managementState $managementState", ({ managementState, written, pruned }) => {
    const plan = decide({ tuneds: [tuned("default", { managementState })], profiles });
    expect(Object.keys(chosen(plan))).toHaveLength(written);
    expect(plan.prunes).toHaveLength(pruned);
  });

  test("alone has a managementState: on other Tuneds it is noted and ignored", () => {
    const plan = decide({ tuneds: [tuned("a", { managementState: "Removed" })], profiles });
    expect(plan.prunes).toEqual([]);
    expect(valid(plan, "a")).toMatchObject({
      status: "True",
      message: "managementState is ignored: only that of the Tuned default has an effect",
    });
  });
});

test("a status without changes keeps its times, and has the generation it is about", () => {
  const first = decide({ tuneds: [tuned("a", {})] });
  const status = first.statuses[0]?.status as Tuned["status"];
  const later = decideNodeTuning({
    tuneds: [{ ...tuned("a", {}), status }],
    nodes: [],
    profiles: [],
    ...surroundings,
    now: "2027-01-01T00:00:00Z",
  });
  expect(later.statuses[0]?.status).toEqual(status);
  expect(status).toMatchObject({ observedGeneration: 3, conditions: [{ lastTransitionTime: now }] });
});

/** machine-config W-19 */
test("a node that two custom pools select keeps the profile that it has by one of them, and gets none anew", () => {
  const role = "machineconfiguration.openshift.io/role";
  const pools = ["a", "b"].map((name) => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name },
    spec: { nodeSelector: { matchLabels: { [name]: "" } }, machineConfigSelector: { matchLabels: { [role]: name } } },
  }));
  const tuneds = ["a", "b"].map((name) =>
    defining(name, [rule(`by-${name}`, 20, { machineConfigLabels: { [role]: name } })]),
  );
  const has = (tunedProfile: string): Profile[] => [
    { apiVersion, kind: "Profile", metadata: { name: "n", namespace }, spec: { config: { tunedProfile } } },
  ];
  const inBoth = { tuneds, pools, nodes: [node("n", { a: "", b: "" })] };
  expect(chosen(decide({ ...inBoth, profiles: has("by-b") }))).toEqual({ n: "by-b" });
  expect(chosen(decide({ ...inBoth, profiles: has("openshift-node") }))).toEqual({ n: "openshift-node" });
  expect(chosen(decide(inBoth))).toEqual({ n: "openshift-node" });
  const inOne = { ...inBoth, nodes: [node("n", { a: "" })], profiles: has("by-b") };
  expect(chosen(decide(inOne))).toEqual({ n: "by-a" });
});
