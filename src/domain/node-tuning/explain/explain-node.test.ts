import { describe, expect, it, test } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import {
  apiVersion,
  type Match,
  type Profile,
  type ProfileStatus,
  type Recommend,
  type ReportedSetting,
  type Tuned,
  type TunedSpec,
} from "../api.ts";
import { expectedProfile } from "../expected-profile.ts";
import { type ExplainInput, explainNode, type NodeExplanation } from "./explain-node.ts";
import type { FoundSetting } from "./settings.ts";
import { inputsOf, type NodeFacts } from "../node-profile.ts";
import { judge } from "../judge.ts";
import { emptyInput } from "../testing/empty-input.ts";

const namespace = "tuning";
const role = "machineconfiguration.openshift.io/role";

function tuned(name: string, spec: TunedSpec, annotations?: Record<string, string>): Tuned {
  return { apiVersion, kind: "Tuned", metadata: { name, namespace, generation: 1, annotations }, spec };
}

function node(labels: Record<string, string> = {}): NodeFacts {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { "kubernetes.io/os": "linux", ...labels } },
  };
}

const worker = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  spec: {
    nodeSelector: { matchLabels: { "node-role.kubernetes.io/worker": "" } },
    machineConfigSelector: { matchLabels: { [role]: "worker" } },
  },
};

function inputFor(tuneds: readonly Tuned[], more: Partial<ExplainInput> = {}): ExplainInput {
  const one = more.node ?? node();
  return deepFreeze({
    ...emptyInput,
    tuneds,
    nodes: [one],
    node: one,
    ...more,
  });
}

const explained = (tuneds: readonly Tuned[], more: Partial<ExplainInput> = {}): NodeExplanation =>
  explainNode(inputFor(tuneds, more));

/** The Profile as the operator writes it, with a status. */
function profileOf(tuneds: readonly Tuned[], status: Profile["status"], of = node()): Profile {
  const [chosen] = judge(inputFor(tuneds, { node: of })).chosen;
  if (!chosen) throw new Error("nothing is chosen");
  const { wanted } = chosen.node;
  return { ...wanted, metadata: { ...wanted.metadata, generation: 1 }, ...(status ? { status } : {}) };
}

const condition = (type: string, status: "True" | "False", message = "", reason = "AsExpected") => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

describe("a rule", () => {
  const first = (recommend: Partial<Recommend>, more: Partial<ExplainInput> = {}): string => {
    const profile = [{ name: "p", data: "" }];
    const of = tuned("a", { profile, recommend: [{ profile: "p", priority: 1, ...recommend }] });
    const [verdict] = explained([of], more).rules;
    return `${verdict?.outcome}: ${verdict?.because}`;
  };
  const byMatch = (...match: Match[]): Partial<Recommend> => ({ match });

  test.each<[string, Partial<Recommend>, Record<string, string>, string]>([
    ["without conditions", {}, {}, "chosen: it matches every node"],
    ["with an empty match", { match: [] }, {}, "chosen: it matches every node"],
    ["whose label is there", byMatch({ label: "x" }), { x: "1" }, "chosen: the node has label x"],
    ["whose label has its value", byMatch({ label: "x", value: "1" }), { x: "1" }, "chosen: the node has label x=1"],
    ["whose label is missing", byMatch({ label: "x" }), {}, "no match: label x is missing"],
    ["whose label differs", byMatch({ label: "x", value: "1" }), { x: "2" }, 'no match: label x is "2", not "1"'],
    [
      "of several labels",
      byMatch({ label: "x" }, { label: "y", value: "" }),
      { y: "1" },
      'no match: label x is missing; label y is "1", not ""',
    ],
    ["whose second label is there", byMatch({ label: "x" }, { label: "y" }), { y: "" }, "chosen: the node has label y"],
    [
      "with nested labels that match",
      byMatch({ label: "x", match: [{ label: "y" }, { label: "z" }] }),
      { x: "", z: "" },
      "chosen: the node has label x, the node has label z",
    ],
    [
      "with nested labels that do not match",
      byMatch({ label: "x", match: [{ label: "y" }] }),
      { x: "" },
      "no match: label x is present, but label y is missing",
    ],
    [
      "with the name of an inherited property",
      byMatch({ label: "constructor" }),
      {},
      "no match: label constructor is missing",
    ],
    [
      "whose profile does not exist",
      { profile: "ghost" },
      {},
      'unusable: it matches every node, but recommend[0].profile: profile "ghost" does not exist; the rule is not used',
    ],
    [
      "that is invalid",
      { match: [{ label: "x", match: 5 as never }] },
      {},
      "unusable: recommend[0].match[0].match is not a list; the rule is not used",
    ],
  ])("%s", (_, recommend, labels, expected) => {
    expect(first(recommend, { node: node(labels) })).toBe(expected);
  });

  test.each([
    [[], "no match: no pod on the node has label app"],
    [[{ app: "b" }, { app: "c" }], 'no match: on pods label app is "b", "c", not "a"'],
    [[{ app: "b" }, { app: "a" }], "chosen: a pod on the node has label app=a"],
  ])("that matches labels of pods, which are %j", (pods, expected) => {
    expect(first(byMatch({ label: "app", value: "a", type: "pod" }), { podsOn: () => pods })).toBe(expected);
  });

  const isWorker = { "node-role.kubernetes.io/worker": "" };
  test.each<[string, Partial<ExplainInput>, Record<string, string>, string]>([
    [
      "the pool of the node",
      { pools: [worker], node: node(isWorker) },
      { [role]: "worker" },
      `chosen: the node is in the pool worker, which takes MachineConfigs with ${role}=worker`,
    ],
    [
      "another pool",
      { pools: [worker] },
      { [role]: "worker" },
      `no match: the pool worker takes MachineConfigs with ${role}=worker, and the node belongs to no pool`,
    ],
    [
      "no pool",
      { pools: [worker], node: node(isWorker) },
      { [role]: "gpu" },
      `no match: no pool takes MachineConfigs with ${role}=gpu`,
    ],
    ["a cluster without pools", {}, { [role]: "worker" }, "no match: the cluster has no MachineConfigPools"],
  ])("with machineConfigLabels, on %s", (_, more, machineConfigLabels, expected) => {
    expect(first({ machineConfigLabels }, more)).toBe(expected);
  });

  it("that ties or has a lower priority has an outcome of its own", () => {
    const profile = ["p", "q"].map((name) => ({ name, data: "" }));
    const rules = (...recommend: Recommend[]): TunedSpec => ({ profile, recommend });
    const { rules: verdicts, tuneds } = explained([
      tuned("a", rules({ profile: "p", priority: 5 })),
      tuned("b", rules({ profile: "q", priority: 5 }, { profile: "p", priority: 5 })),
    ]);
    expect(verdicts.map((one) => `${one.tuned}[${one.index}] ${one.profile} ${one.outcome}`)).toEqual([
      "a[0] p chosen",
      "b[0] q tied",
      "b[1] p lower priority",
      "default[0] openshift-control-plane no match",
      "default[1] openshift-node lower priority",
    ]);
    expect(tuneds.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(tuneds[0]?.conditions[0]?.message).toContain("both match node n");
  });
});

describe("obstacles", () => {
  const quiet = tuned("quiet", {
    profile: [{ name: "p", data: "[sysctl]\na=1\n" }],
    recommend: [{ profile: "p", priority: 1 }],
  });
  const state = (managementState: "Removed" | "Unmanaged"): Tuned => tuned("default", { managementState });
  const other = tuned("other", { profile: [{ name: "p", data: "[sysctl]\na=2\n" }] });

  const asserting = tuned("t", {
    profile: [{ name: "t", data: "[variables]\na=${f:assertion:no more:1:2}\n" }],
    recommend: [{ profile: "t", priority: 1 }],
  });

  test.each<[string, Tuned[], Partial<ExplainInput>, unknown[]]>([
    ["no Profile yet", [quiet], {}, ["It has no Profile yet: is the operator running?"]],
    ["nothing", [quiet], { profiles: [profileOf([quiet], undefined)] }, []],
    [
      "an outdated Profile",
      [quiet],
      { profiles: [profileOf([], undefined)] },
      ["Its Profile is out of date (it has openshift-node): is the operator running?"],
    ],
    [
      "no tuning at all",
      [quiet, state("Removed")],
      {},
      ["Tuning is removed: managementState of the Tuned default is Removed."],
    ],
    [
      "tuning that is unmanaged",
      [quiet, state("Unmanaged")],
      {},
      ["Profiles are not updated: managementState of the Tuned default is Unmanaged."],
    ],
    [
      "a name with two texts",
      [quiet, other],
      {},
      ["A profile it needs is defined differently in several places: the node gets none until this is resolved."],
    ],
    [
      "a profile that does not resolve",
      [asserting],
      { profiles: [profileOf([asserting], undefined)] },
      [expect.stringMatching(/^t\/tuned.conf:2: .*no more/)],
    ],
    [
      "a text that became unusable",
      [tuned("quiet", { profile: [{ name: "p", data: "[sysctl\n" }], recommend: [{ profile: "p", priority: 1 }] })],
      { profiles: [profileOf([quiet], undefined)] },
      [expect.stringMatching(/^recommend\[0\]\.profile: p\/tuned\.conf:1: .*: the node keeps the text that it has\.$/)],
    ],
  ])("%s", (_, tuneds, more, expected) => {
    expect(explained(tuneds, more).obstacles).toEqual(expected);
  });

  it("a node that does not run Linux", () => {
    const windows: NodeFacts = { ...node(), metadata: { name: "n", labels: { "kubernetes.io/os": "windows" } } };
    const explanation = explained([quiet], { node: windows, nodes: [windows] });
    expect(explanation).toMatchObject({ rules: [], settings: [] });
    expect(explanation.profile).toBeUndefined();
    expect(explanation.obstacles).toEqual(["Only nodes with the label kubernetes.io/os=linux are tuned."]);
  });
});

it.each([
  ["True", undefined],
  ["False", true],
  ["Unknown", true],
])("a node whose condition Ready is %s: notReady is %s", (status, notReady) => {
  const of = { ...node(), status: { conditions: [{ type: "Ready", status }] } };
  expect(explained([], { node: of }).notReady).toBe(notReady);
});

describe("a setting", () => {
  const quiet = tuned("quiet", {
    profile: [
      { name: "base", data: "[sysctl]\nvm.swappiness=60\nvm.dirty_ratio=20\n" },
      {
        name: "p",
        data: "[main]\ninclude=base\n[sysctl]\nvm.swappiness=10\nkernel.x=${f:exec:hostname}\n[eth]\ntype=net\nenabled=0\nmtu=9000\n[bootloader]\ncmdline=quiet\n",
      },
    ],
    recommend: [{ profile: "p", priority: 1 }],
  });
  const states = (more: Partial<ExplainInput>): Record<string, string> =>
    Object.fromEntries(
      explained([quiet], more).settings.map(({ option, state, actual, note }) => [
        option,
        [state, ...(actual === undefined ? [] : [actual]), ...(note === undefined ? [] : [note])].join(" | "),
      ]),
    );
  const aside = { "kernel.x": "unresolved", mtu: "idle | the unit is disabled", cmdline: "boot" };
  const about = { unit: "sysctl", option: "vm.swappiness" };
  const swappiness: ReportedSetting = { ...about, state: "AsWanted", value: "10" };
  const ratio: ReportedSetting = { ...about, option: "vm.dirty_ratio", state: "AsWanted", value: "20" };
  const unsaid = { "kernel.x": "skipped | the agent reports no value for it" };
  const limited = "not listed: the agent's report is limited";
  const saying = (status: Partial<ProfileStatus>): Partial<ExplainInput> => {
    const conditions = [condition("Applied", "True")];
    return { profiles: [profileOf([quiet], { tunedProfile: "p", observedGeneration: 1, conditions, ...status })] };
  };

  it("is not as wanted since a time that its agent reports", () => {
    const state = "Failed";
    const since = "2026-01-01T00:00:00Z";
    const status = {
      settings: [{ ...about, state, message: "no" } as const],
      exceptions: [{ ...about, state, since } as const],
    };
    expect(explained([quiet], saying(status)).settings[0]).toMatchObject({ state: "failed", since });
  });

  it("has the file and line that set it, and the values that it overrides", () => {
    const [swappiness, ratio] = explained([quiet]).settings;
    expect(swappiness).toMatchObject({
      unit: "sysctl",
      option: "vm.swappiness",
      wanted: "10",
      from: "p/tuned.conf:4",
      overrides: [{ value: "60", from: "base/tuned.conf:2" }],
    });
    expect(ratio).toMatchObject({ from: "base/tuned.conf:3", overrides: [] });
  });

  test.each<[string, Partial<ExplainInput>, Record<string, string>]>([
    ["without any report", {}, { "vm.swappiness": "unknown", "vm.dirty_ratio": "unknown" }],
    [
      "of a node that has applied everything",
      saying({ settings: [swappiness, ratio] }),
      { "vm.swappiness": "as wanted | 10", "vm.dirty_ratio": "as wanted | 20", ...unsaid },
    ],
    [
      "that failed on the node",
      saying({ settings: [{ ...about, state: "Failed", message: "Permission denied" }, ratio] }),
      { "vm.swappiness": "failed | Permission denied", "vm.dirty_ratio": "as wanted | 20", ...unsaid },
    ],
    [
      "that the node's own files set otherwise",
      saying({ settings: [{ ...about, state: "Different", value: "1", message: "set by /etc/sysctl.conf:3" }, ratio] }),
      { "vm.swappiness": "different | 1 | set by /etc/sysctl.conf:3", "vm.dirty_ratio": "as wanted | 20", ...unsaid },
    ],
    [
      "that another process changed, and the agent set back",
      saying({ settings: [swappiness, ratio], exceptions: [{ ...about, state: "Repaired", found: "60", since: "…" }] }),
      {
        "vm.swappiness": 'as wanted | 10 | another process changed it to "60"; it was set back',
        "vm.dirty_ratio": "as wanted | 20",
        ...unsaid,
      },
    ],
    [
      "that the node has nothing to set on",
      saying({ settings: [{ ...about, state: "Skipped", message: "no swap here" }, ratio] }),
      { "vm.swappiness": "skipped | no swap here", "vm.dirty_ratio": "as wanted | 20", ...unsaid },
    ],
    [
      "of a section that failed as a whole",
      saying({ settings: [{ unit: "sysctl", option: "", state: "Failed", message: "no such plug-in" }] }),
      {
        "vm.swappiness": "failed | no such plug-in",
        "vm.dirty_ratio": "failed | no such plug-in",
        "kernel.x": "failed | no such plug-in",
      },
    ],
    [
      "of a node whose report is limited",
      saying({ settings: [swappiness], settingsOmitted: 2 }),
      {
        "vm.swappiness": "as wanted | 10",
        "vm.dirty_ratio": `unknown | ${limited}`,
        "kernel.x": `unknown | ${limited}`,
      },
    ],
    [
      "that only the node can resolve",
      saying({ settings: [swappiness, ratio, { unit: "sysctl", option: "kernel.x", state: "AsWanted", value: "n1" }] }),
      { "vm.swappiness": "as wanted | 10", "vm.dirty_ratio": "as wanted | 20", "kernel.x": "as wanted | n1" },
    ],
    [
      "of a node whose agent reports conditions only",
      saying({}),
      { "vm.swappiness": "unknown", "vm.dirty_ratio": "unknown" },
    ],
    [
      "of a node that has not applied the change yet",
      saying({ settings: [swappiness, ratio], conditions: [condition("Applied", "False", "", "Deferred")] }),
      { "vm.swappiness": "unknown", "vm.dirty_ratio": "unknown" },
    ],
    [
      "of a node that reports an older profile",
      {
        profiles: [profileOf([quiet], { tunedProfile: "older", conditions: [condition("Applied", "True")] })],
      },
      { "vm.swappiness": "unknown", "vm.dirty_ratio": "unknown" },
    ],
  ])("%s", (_, more, expected) => {
    expect(states(more)).toEqual({ ...aside, ...expected });
  });

  it("is compared with the value on the node", () => {
    const expected = expectedProfile(profileOf([quiet], undefined).spec);
    const sysctl = { unit: "sysctl", option: "vm.swappiness" };
    const found = (...settings: FoundSetting[]): Record<string, string> => states({ found: { expected, settings } });
    expect(
      found(
        { ...sysctl, type: "different", value: "60", message: "changed by another process since it was applied" },
        {
          unit: "sysctl",
          option: "vm.dirty_ratio",
          type: "failed",
          message: "no such file",
        },
      ),
    ).toEqual({
      "vm.swappiness": "different | 60 | changed by another process since it was applied",
      "vm.dirty_ratio": "failed | no such file",
      ...aside,
    });
    const onDevice = (device: string, value: string): FoundSetting => ({ ...sysctl, device, type: "different", value });
    const skipped = { unit: "sysctl", option: "", type: "skipped", message: "no devices" } as const;
    expect(found(onDevice("a", "1"), onDevice("b", "1"), onDevice("c", "2"), skipped)).toMatchObject({
      "vm.swappiness": "different | 1 (a and 1 more), 2 (c)",
      "vm.dirty_ratio": "skipped | no devices",
    });
    expect(found({ ...sysctl, type: "as wanted", value: "10" })).toMatchObject({
      "vm.swappiness": "as wanted | 10",
      "vm.dirty_ratio": "unknown",
    });
  });
});

it("a profile that includes its own name is in the chain twice", () => {
  const { chain } = explained([]);
  expect(chain.map(({ profile, file, tuneds }) => [profile, file, tuneds])).toEqual([
    ["openshift", "/usr/lib/attune/profiles/openshift/tuned.conf", []],
    ["openshift", "openshift/tuned.conf", ["default"]],
    ["openshift-node", "/usr/lib/attune/profiles/openshift-node/tuned.conf", []],
  ]);
});

it("includes and overridden values are shown as they are on the node", () => {
  const profile = [
    { name: "base", data: "[variables]\nn=60\n[sysctl]\nvm.swappiness=${n}" },
    {
      name: "p",
      data: "[main]\ninclude=${f:regex_search_ternary:6.12+rt:rt:base:},\n  -none\n[sysctl]\nvm.swappiness=10",
    },
  ];
  const { chain, settings } = explained([tuned("t", { profile, recommend: [{ profile: "p", priority: 1 }] })]);
  expect(chain.map(({ profile: name, include }) => [name, include?.names])).toEqual([
    ["base", undefined],
    ["p", ["base"]],
  ]);
  expect(settings[0]?.overrides).toEqual([{ value: "60", from: "base/tuned.conf:4" }]);
});

describe("boot arguments", () => {
  const isWorker = node({ "node-role.kubernetes.io/worker": "" });
  const text = [{ name: "p", data: "[bootloader]\ncmdline=nohz=on quiet\n" }];
  const through = (recommend: Partial<Recommend>): Tuned =>
    tuned("t", { profile: text, recommend: [{ profile: "p", priority: 1, ...recommend }] });
  const byPool = through({ machineConfigLabels: { [role]: "worker" } });

  function reporting(of: Tuned, line: string | undefined): Partial<ExplainInput> {
    const pools = [worker];
    const [chosen] = judge(inputFor([of], { node: isWorker, pools })).chosen;
    const wanted = chosen?.node.wanted as Profile;
    const status = {
      tunedProfile: "p",
      conditions: [condition("Applied", "True")],
      ...(line === undefined ? {} : { bootcmdline: line, bootcmdlineInputs: inputsOf(wanted.spec) }),
    };
    return { node: isWorker, pools, profiles: [{ ...wanted, status }] };
  }

  it("that the nodes of a pool agree on reach the node", () => {
    expect(explained([byPool], reporting(byPool, "nohz=on quiet")).boot).toEqual({
      wanted: ["nohz=on", "quiet"],
      reported: "nohz=on quiet",
      pending: [],
      pool: "worker",
      reached: true,
      because: "MachineConfig 50-nto-worker: nohz=on quiet",
    });
  });

  it.each([
    ["while the node has not reported", byPool, undefined, /^The pool worker waits for node n:/],
    ["of a rule chosen by match", through({}), "nohz=on quiet", /matches node n by match, so the boot arg/],
    ["that no node reported for a rule with match", through({}), undefined, /^The rule matches by match/],
  ])("do not reach the node %s", (_, of, line, because) => {
    const { boot } = explained([of], reporting(of, line));
    expect(boot).toMatchObject({ wanted: ["nohz=on", "quiet"], reached: false });
    expect(boot?.because).toMatch(because);
  });

  it("are absent if there are none", () => {
    expect(explained([], { pools: [worker], node: isWorker }).boot).toBeUndefined();
  });
});

describe("hardware", () => {
  const tuneds = [tuned("a", { recommend: [{ profile: "openshift-node", priority: 1 }] })];
  const madeOf = (hardware: unknown) =>
    explained(tuneds, { profiles: [profileOf(tuneds, { tunedProfile: "p", hardware: hardware as never })] }).hardware;

  it("is counted", () => {
    const numaNodes = [
      { id: 0, memory: "1024Ki", cores: ["0/0:0,4", "0/1:1"] },
      { id: 1, cores: ["1/0:2,6", "1/1:3,7"] },
    ];
    expect(madeOf({ architecture: "amd64", vendor: "GenuineIntel", numaNodes, offline: "5" })).toEqual({
      architecture: "amd64",
      vendor: "GenuineIntel",
      sockets: 2,
      cores: 4,
      threads: 7,
      offline: "5",
      numaNodes: [
        { id: 0, memory: "1024Ki", cpus: "0-1,4" },
        { id: 1, cpus: "2-3,6-7" },
      ],
    });
  });

  test.each([undefined, { numaNodes: 7 }])("is absent if the agent reports %j", (hardware) => {
    expect(madeOf(hardware)).toBeUndefined();
  });
});
