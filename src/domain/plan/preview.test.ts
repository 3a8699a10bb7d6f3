import { describe, expect, it, test } from "vitest";
import type { MachineConfig, MachineConfigPool } from "../machine-config/api.ts";
import { deepFreeze } from "../../language/object/json.ts";
import { type Answers, noAnswers } from "../../language/tuned/probe.ts";
import {
  apiVersion,
  generatedAnnotation,
  type Profile,
  type Recommend,
  type Tuned,
  type TunedSpec,
} from "../node-tuning/api.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { previewTuning, type TuningPreview } from "./preview.ts";
import { inputsOf, type NodeFacts } from "../node-tuning/node-profile.ts";
import { judge } from "../node-tuning/judge.ts";
import { knownAnswers } from "../node-tuning/known-nodes.ts";
import { emptyInput } from "../node-tuning/testing/empty-input.ts";

const namespace = "tuning";
const role = "machineconfiguration.openshift.io/role";

function tuned(name: string, spec: TunedSpec, annotations?: Record<string, string>): Tuned {
  return { apiVersion, kind: "Tuned", metadata: { name, namespace, generation: 1, annotations }, spec };
}

/** A Tuned with one profile of its own name, for every node unless `rule` says otherwise. */
function quiet(text: string, rule: Partial<Recommend> = {}, annotations?: Record<string, string>): Tuned {
  return tuned(
    "quiet",
    { profile: [{ name: "quiet", data: text }], recommend: [{ profile: "quiet", priority: 1, ...rule }] },
    annotations,
  );
}

function node(name: string, labels: Record<string, string> = {}): NodeFacts {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { "kubernetes.io/os": "linux", ...labels } } };
}

function pool(name: string, more: Partial<NonNullable<MachineConfigPool["spec"]>> = {}): MachineConfigPool {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: "" } },
      machineConfigSelector: { matchLabels: { [role]: name } },
      ...more,
    },
  };
}

function world(tuneds: readonly Tuned[], more: Partial<NodeTuningInput> = {}): NodeTuningInput {
  return {
    ...emptyInput,
    tuneds,
    nodes: [node("n1"), node("n2")],
    ...more,
  };
}

/** A preview of replacing Tuneds by others. */
function change(before: readonly Tuned[], after: readonly Tuned[], more: Partial<NodeTuningInput> = {}): TuningPreview {
  const written = after.filter((one) => !before.includes(one)).map(({ metadata }) => metadata.name ?? "");
  return previewTuning(deepFreeze({ before: world(before, more), after: world(after, more), written }));
}

describe("nodes", () => {
  it("that get another profile have the settings it adds, changes and removes", () => {
    const old = quiet("[sysctl]\nvm.swappiness=10\nvm.dirty_ratio=20\nkernel.x=1\n");
    const fresh = quiet("# new\n[sysctl]\nvm.swappiness=5\nkernel.x=1\nkernel.y=2\n");
    const { changes, nodes, boot } = change([old], [fresh]);
    expect([nodes, boot]).toEqual([2, []]);
    expect(changes).toMatchObject([{ nodes: ["n1", "n2"], before: "quiet", after: "quiet", problems: [] }]);
    expect(changes[0]?.settings).toEqual([
      {
        unit: "sysctl",
        option: "vm.swappiness",
        before: { value: "10", from: "quiet/tuned.conf:2" },
        after: { value: "5", from: "quiet/tuned.conf:3" },
      },
      { unit: "sysctl", option: "kernel.y", after: { value: "2", from: "quiet/tuned.conf:5" } },
      { unit: "sysctl", option: "vm.dirty_ratio", before: { value: "20", from: "quiet/tuned.conf:3" } },
    ]);
  });

  it("with the same change are one group, the largest first", () => {
    const nodes = [node("x", { x: "" }), node("a"), node("b")];
    const fresh = tuned("t", {
      profile: [
        { name: "p", data: "[sysctl]\na=1\n" },
        { name: "q", data: "[sysctl]\na=2\n" },
      ],
      recommend: [
        { profile: "q", priority: 1, match: [{ label: "x" }] },
        { profile: "p", priority: 2 },
      ],
    });
    const { changes } = change([], [fresh], { nodes });
    expect(changes.map(({ nodes: names, before, after }) => [names, before, after])).toEqual([
      [["a", "b"], "openshift-node", "p"],
      [["x"], "openshift-node", "q"],
    ]);
  });

  describe("whose traits are known", () => {
    const intel = knownAnswers({ kernelRelease: "6.12.0", architecture: "amd64", vendor: "GenuineIntel" });
    const realTime = knownAnswers({ kernelRelease: "6.12.0+rt", architecture: "amd64", vendor: "GenuineIntel" });
    const amd = knownAnswers({ kernelRelease: "6.12.0", architecture: "amd64", vendor: "AuthenticAMD" });
    const byVendor = quiet("[sysctl]\na=${f:lscpu_check:GenuineIntel:1:AuthenticAMD:2}\n");
    const byKernel = quiet("[sysctl]\na=${f:regex_search_ternary:${f:exec:uname:-r}:rt:1:2}\n");
    const valuesOf = ({ changes }: TuningPreview) =>
      changes.map(({ nodes, settings }) => [...nodes, settings.find(({ option }) => option === "a")?.after?.value]);
    const known = (of: Record<string, Answers>) => (name: string) => of[name] ?? noAnswers;

    it("have probes answered, and are one group only if the result is the same", () => {
      const input = { before: world([]), after: world([byVendor]), written: [] };
      const both = (n1: Answers, n2: Answers) => ({ before: known({ n1, n2 }), after: known({ n1, n2 }) });
      expect(valuesOf(previewTuning({ ...input, answers: both(intel, amd) }))).toEqual([
        ["n1", "1"],
        ["n2", "2"],
      ]);
      expect(valuesOf(previewTuning({ ...input, answers: both(intel, realTime) }))).toEqual([["n1", "n2", "1"]]);
      expect(
        previewTuning({ ...input, answers: both(intel, amd) }).changes.flatMap(({ unresolved }) => unresolved),
      ).toEqual([]);
    });

    it("change with another kernel even if their Profiles do not", () => {
      const input = { before: world([byKernel]), after: world([byKernel]), written: [] };
      const after = known({ n1: realTime, n2: intel });
      expect(
        valuesOf(previewTuning({ ...input, answers: { before: known({ n1: intel, n2: intel }), after } })),
      ).toEqual([["n1", "1"]]);
    });
  });

  it("that the change does not concern are left out", () => {
    expect(change([], [quiet("[sysctl]\na=1\n", { match: [{ label: "absent" }] })]).changes).toEqual([]);
    const one = quiet("[sysctl]\na=1\n");
    expect(change([one], [{ ...one, metadata: { ...one.metadata, labels: { mine: "" } } }]).changes).toEqual([]);
  });

  it("that cannot apply the profile have the reason and no settings", () => {
    const { changes, findings } = change([], [quiet("[variables]\na=${f:assertion:no more:1:2}\n[sysctl]\na=1\n")]);
    expect(changes[0]).toMatchObject({ settings: [], problems: [expect.stringMatching(/^quiet\/tuned.conf:2: /)] });
    expect(findings).toContainEqual({
      severity: "error",
      about: "profile quiet",
      message: expect.stringMatching(/; node n1 and 1 more cannot apply it$/),
    });
  });

  it("keep their profile where a rule names one that does not exist", () => {
    const { changes, findings } = change([], [quiet("[main]\ninclude=gone\n[sysctl]\nvm.swappiness=1\n")]);
    expect(changes).toEqual([]);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([
      {
        severity: "error",
        about: "Tuned quiet",
        message: 'profile[0].data:2: profile "gone" does not exist; no node gets this text',
      },
      {
        severity: "error",
        about: "Tuned quiet",
        message:
          'recommend[0].profile: quiet/tuned.conf:2: profile "gone" does not exist; only nodes that have the profile already keep it, with its last usable text',
      },
    ]);
  });

  it("are asked nothing: what depends on them stays unexpanded", () => {
    const { changes } = change([], [quiet("[sysctl]\na=${f:exec:hostname}\nb=1\n")]);
    expect(changes[0]?.unresolved).toEqual([{ type: "exec", argv: ["hostname"] }]);
    const values = changes[0]?.settings.map(({ option, after }) => [option, after?.value]);
    expect(values).toContainEqual(["a", "${f:exec:hostname}"]);
    expect(values).toContainEqual(["b", "1"]);
  });

  it("whose changes wait for a restart are marked", () => {
    const deferred = quiet("[sysctl]\na=1\n", {}, { "tuned.openshift.io/deferred": "always" });
    expect(change([], [deferred]).changes[0]?.deferred).toBe("always");
  });

  it("have changed options of their agents", () => {
    const operand = { debug: true, tunedConfig: { reapply_sysctl: false } };
    const [only] = change([quiet("[sysctl]\n")], [quiet("[sysctl]\n", { operand })]).changes;
    expect(only).toMatchObject({ settings: [] });
    expect(only?.options).toEqual([
      { option: "debug", before: "false", after: "true" },
      { option: "reapply_sysctl", before: "true", after: "false" },
    ]);
  });

  it("all change when tuning is removed, and none while it is unmanaged", () => {
    const one = quiet("[sysctl]\na=1\n");
    const state = (managementState: "Removed" | "Unmanaged"): Tuned => tuned("default", { managementState });
    const removed = change([one], [one, state("Removed")], { profiles: profilesOf(world([one])) });
    expect(removed.changes[0]).toMatchObject({ nodes: ["n1", "n2"], before: "quiet", settings: [{ option: "a" }] });
    expect(removed.changes[0]?.after).toBeUndefined();
    const unmanaged = change([state("Unmanaged")], [state("Unmanaged"), one]);
    expect(unmanaged.changes).toEqual([]);
    expect(unmanaged.findings[0]?.message).toMatch(/^managementState is Unmanaged/);
  });
});

function profilesOf(input: NodeTuningInput): Profile[] {
  return judge(input).chosen.map(({ node: { wanted } }) => wanted);
}

describe("boot arguments", () => {
  const labels = { machineConfigLabels: { [role]: "rt" } };
  const nodes = [
    node("n1", { "node-role.kubernetes.io/rt": "" }),
    node("n2", { "node-role.kubernetes.io/rt": "" }),
    node("n3"),
  ];
  const boots = (line: string): Tuned => quiet(`[bootloader]\ncmdline=${line}\n`, labels);
  const config = (...kernelArguments: string[]): MachineConfig => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { name: "50-nto-rt", labels: { [role]: "rt" }, annotations: { [generatedAnnotation]: "1" } },
    spec: { kernelArguments },
  });
  const shown = ({ boot }: TuningPreview): unknown[] =>
    boot.map(({ machineConfig, before, after, pools }) => [machineConfig, before, after, pools]);

  test.each<[string, Tuned[], Tuned[], Partial<NodeTuningInput>, unknown[]]>([
    [
      "that are new",
      [],
      [boots("quiet nohz=on")],
      { pools: [pool("rt")] },
      [["50-nto-rt", undefined, ["quiet", "nohz=on"], ["rt"]]],
    ],
    [
      "that change",
      [boots("quiet")],
      [boots("loud")],
      { pools: [pool("rt")], machineConfigs: [config("quiet")] },
      [["50-nto-rt", ["quiet"], ["loud"], ["rt"]]],
    ],
    [
      "are removed with their rule",
      [boots("quiet")],
      [],
      { pools: [pool("rt")], machineConfigs: [config("quiet")] },
      [["50-nto-rt", ["quiet"], undefined, ["rt"]]],
    ],
    [
      "stay when something else changes",
      [boots("quiet")],
      [boots("quiet\n[sysctl]\na=1")],
      { pools: [pool("rt")], machineConfigs: [config("quiet")] },
      [],
    ],
    [
      "that never got a MachineConfig change nothing",
      [boots("quiet")],
      [boots("quiet"), tuned("first", { recommend: [{ profile: "balanced", priority: 0 }] })],
      { pools: [pool("rt")] },
      [],
    ],
    ["reach no node in a cluster without pools", [], [boots("quiet")], {}, []],
  ])("%s", (_, before, after, more, expected) => {
    expect(shown(change(before, after, { nodes, ...more }))).toEqual(expected);
  });

  it("that nodes report take precedence over those resolved without the node", () => {
    const one = boots("isolcpus=${f:exec:which_cpus}");
    const surroundings = { nodes, pools: [pool("rt")], machineConfigs: [config("isolcpus=2-3")] };
    const profiles = profilesOf(world([one], surroundings)).map((profile) => ({
      ...profile,
      status: { tunedProfile: "quiet", bootcmdline: "isolcpus=2-3", bootcmdlineInputs: inputsOf(profile.spec) },
    }));
    const other = tuned("other", { profile: [{ name: "unused", data: "" }] });
    expect(shown(change([one], [one, other], { ...surroundings, profiles }))).toEqual([]);
  });

  it("that one node reports count for others with the same profile", () => {
    const one = boots("isolcpus=${f:exec:which_cpus}");
    const surroundings = { nodes, pools: [pool("rt")], machineConfigs: [config("isolcpus=2-3")] };
    const profiles = profilesOf(world([one], surroundings))
      .filter(({ metadata }) => metadata.name === "n2")
      .map((profile) => ({
        ...profile,
        status: { tunedProfile: "quiet", bootcmdline: "isolcpus=2-3", bootcmdlineInputs: inputsOf(profile.spec) },
      }));
    const { boot, findings } = change([], [one], { ...surroundings, profiles });
    expect([boot, findings]).toEqual([[], []]);
  });

  it("that nodes report as annotations count too, even if their Profiles have more texts", () => {
    const one = boots("isolcpus=${f:exec:which_cpus}");
    const annotations = { "tuned.openshift.io/bootcmdline": "isolcpus=2-3" };
    const reporting = nodes.map((each) => ({ ...each, metadata: { ...each.metadata, annotations } }));
    const surroundings = { nodes: reporting, pools: [pool("rt")], machineConfigs: [config("isolcpus=2-3")] };
    const profiles = profilesOf(world([one], surroundings)).map(({ spec, ...profile }) => ({
      ...profile,
      spec: { ...spec, profile: [...(spec.profile ?? []), { name: "unused", data: "" }] },
    }));
    expect(shown(change([], [one], { ...surroundings, profiles }))).toEqual([]);
  });

  it("of a rule with match are reported to reach no node", () => {
    const { boot, findings } = change([], [quiet("[bootloader]\ncmdline=quiet\n")], { nodes, pools: [pool("rt")] });
    expect(boot).toEqual([]);
    expect(findings).toMatchObject([{ severity: "warning", about: "Tuned quiet" }]);
    expect(findings[0]?.message).toContain("reach no node");
  });
});

describe("findings", () => {
  const found = (before: Tuned[], after: Tuned[]): string[] =>
    change(before, after).findings.map(({ severity, about, message }) => `${severity} ${about}: ${message}`);
  const q = (text: string): TunedSpec["profile"] => [{ name: "q", data: text }];

  test.each<[string, Tuned[], Tuned[], string[]]>([
    ["none if nothing is wrong", [], [quiet("[sysctl]\nvm.swappiness=1\n")], []],
    [
      "a rule that wins nowhere",
      [],
      [tuned("t", { profile: q(""), recommend: [{ profile: "q", priority: 50 }] })],
      ["note Tuned t: none of its rules wins on any node"],
    ],
    [
      "a name with two texts, once for all Tuneds that have it",
      [tuned("a", { profile: q("[sysctl]\nvm.swappiness=1\n") })],
      [
        tuned("a", { profile: q("[sysctl]\nvm.swappiness=1\n") }),
        tuned("b", { profile: q("[sysctl]\nvm.swappiness=2\n") }),
      ],
      [
        'error Tuned a, Tuned b: profile "q" is defined differently in Tuneds a and b: affected nodes keep their current profile',
      ],
    ],
    [
      "a tie, once",
      [],
      [
        tuned("a", { profile: q(""), recommend: [{ profile: "q", priority: 1 }] }),
        tuned("b", { recommend: [{ profile: "balanced", priority: 1 }] }),
      ],
      [
        "note Tuned a, Tuned b: Tuned a recommend[0] (profile q, priority 1) and Tuned b recommend[0] (profile balanced, priority 1) both match node n1 and 1 more: the first is used",
        "note Tuned b: none of its rules wins on any node",
      ],
    ],
    [
      "a possible mistake beside a tie, each once",
      [],
      [
        tuned("a", { profile: q("[sysctl]\nvm.swapiness=1\n"), recommend: [{ profile: "q", priority: 1 }] }),
        tuned("b", { recommend: [{ profile: "balanced", priority: 1 }] }),
      ],
      [
        expect.stringMatching(/^warning Tuned a: .*vm\.swapiness.*\?$/) as never,
        "note Tuned a, Tuned b: Tuned a recommend[0] (profile q, priority 1) and Tuned b recommend[0] (profile balanced, priority 1) both match node n1 and 1 more: the first is used",
        "note Tuned b: none of its rules wins on any node",
      ],
    ],
    [
      "a default Tuned that the operator restores",
      [],
      [tuned("default", { recommend: [{ profile: "mine", priority: 1 }] })],
      ["warning Tuned default: the operator restores the shipped profile and recommend"],
    ],
    [
      "a rule that cannot be used, once",
      [],
      [tuned("t", { recommend: [{ profile: "q", priority: 1, match: [{ label: 1 as never }] }] })],
      [
        "error Tuned t: recommend[0].match[0].label is not a string; the rule is not used",
        "note Tuned t: none of its rules wins on any node",
      ],
    ],
  ])("%s", (_, before, after, expected) => {
    expect(found(before, after)).toEqual(expected);
  });

  it("that several Tuneds share name the first ones", () => {
    const tuneds = Array.from({ length: 6 }, (_, index) =>
      tuned(`t${index}`, { recommend: [{ profile: "balanced", priority: 100 }] }),
    );
    expect(found([], tuneds)).toEqual([
      "note Tuned t0, Tuned t1, Tuned t2 and 3 more: none of its rules wins on any node",
    ]);
  });

  it("have the first of many ties", () => {
    const tuneds = Array.from({ length: 9 }, (_, index) => {
      const name = `p${index}`;
      return tuned(`t${index}`, { profile: [{ name, data: "" }], recommend: [{ profile: name, priority: 1 }] });
    });
    const ties = found([], tuneds).filter((text) => /both match|tie/.test(text));
    expect(ties).toHaveLength(4);
    expect(ties.at(-1)).toBe("note Tuned t0: 5 more pairs of rules tie, as attune explain node shows");
    expect(found(tuneds, tuneds).filter((text) => /both match|tie/.test(text))).toEqual([]);
  });

  it("of other Tuneds are left out unless the change causes them", () => {
    const broken = tuned("broken", { recommend: [{ profile: "q", priority: 1, match: [{ label: 1 as never }] }] });
    expect(found([broken], [broken, quiet("[sysctl]\nvm.swappiness=1\n")])).toEqual([]);
  });
});

it("five thousand nodes are one change", () => {
  const nodes = Array.from({ length: 5000 }, (_, index) => node(`n${index}`));
  const { changes } = change([quiet("[sysctl]\nvm.swappiness=1\n")], [quiet("[sysctl]\nvm.swappiness=2\n")], { nodes });
  expect(changes.map((one) => one.nodes.length)).toEqual([5000]);
});
