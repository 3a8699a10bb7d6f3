import { describe, expect, it } from "vitest";
import { readYaml } from "../../../language/object/yaml.ts";
import { parseTopology } from "../../../language/cpu/topology-text.ts";
import { type Choices, type Flags, readChoices } from "./choices.ts";
import type { Machine } from "./compare-hardware.ts";
import { createProfile, type Creation } from "./create-profile.ts";
import type { NodeGroup } from "./node-groups.ts";
import { profileDocument } from "./profile-document.ts";
import { readPool } from "./cluster-node.ts";

describe("readChoices", () => {
  it("has defaults for all but two", () => {
    expect(choicesOf({})).toEqual({
      profileName: "performance",
      reserved: 2,
      offlined: 0,
      splitAcrossNuma: false,
      disableSmt: false,
      realTimeKernel: false,
      userLevelNetworking: false,
      powerMode: "default",
      topologyPolicy: "restricted",
      perPodPowerManagement: false,
      explainHardwareTuning: false,
    });
  });

  it("accepts values in any case of letters", () => {
    const flags = {
      "power-consumption-mode": "Low-Latency",
      "topology-manager-policy": "Best-Effort",
      "rt-kernel": "T",
    };
    expect(choicesOf(flags)).toMatchObject({
      powerMode: "low-latency",
      topologyPolicy: "best-effort",
      realTimeKernel: true,
    });
  });

  it.each<[Flags, string]>([
    [{ "reserved-cpu-count": undefined }, "--reserved-cpu-count: must be given"],
    [{ "rt-kernel": undefined }, "--rt-kernel: must be given"],
    [{ "reserved-cpu-count": "four" }, '--reserved-cpu-count: "four" is not a number of CPUs'],
    [{ "offlined-cpu-count": "1e3" }, '--offlined-cpu-count: "1e3" is not a number of CPUs'],
    [{ "disable-ht": "perhaps" }, '--disable-ht: "perhaps" is neither true nor false'],
    [{ "topology-manager-policy": "none" }, '"none" is not one of single-numa-node, best-effort, restricted'],
    [{ "power-consumption-mode": "low" }, '"low" is not one of default, low-latency, ultra-low-latency'],
    [{ "profile-name": "No_Name" }, "--profile-name: "],
    [{ "rt-kernel": "true" }, "--rt-kernel: goes with --power-consumption-mode low-latency"],
    [
      { "split-reserved-cpus-across-numa": true, "topology-manager-policy": "SINGLE-NUMA-NODE" },
      "goes with --topology-manager-policy best-effort or restricted",
    ],
    [
      { "per-pod-power-management": true, "power-consumption-mode": "ultra-low-latency" },
      "goes with --power-consumption-mode default or low-latency",
    ],
  ])("refuses %o and names possible values", (flags, reason) => {
    const read = readChoices({ ...least, ...flags });
    expect(read).toEqual({ type: "refused", reasons: [expect.stringContaining(reason)] });
  });

  it("reports all reasons at once", () => {
    expect(readChoices({ "offlined-cpu-count": "x", "disable-ht": "y" })).toMatchObject({
      reasons: [
        expect.stringContaining("reserved"),
        expect.stringContaining("rt-kernel"),
        expect.stringContaining("offlined"),
        expect.stringContaining("disable-ht"),
      ],
    });
  });
});

describe("createProfile", () => {
  it.each<[string, Flags, object]>([
    ["default", {}, { realTime: false, highPowerConsumption: false, perPodPowerManagement: false }],
    ["low-latency", {}, { realTime: true, highPowerConsumption: false, perPodPowerManagement: false }],
    ["ultra-low-latency", {}, { realTime: true, highPowerConsumption: true, perPodPowerManagement: false }],
    ["Low-Latency", { "per-pod-power-management": true }, { realTime: true, perPodPowerManagement: true }],
  ])("gives the hints of mode %s", (mode, flags, hints) => {
    const { profile } = created(create({ ...flags, "power-consumption-mode": mode }));
    expect(profile.spec?.workloadHints).toMatchObject(hints);
  });

  it("names a pool by a label that is its own, if possible one with its name", () => {
    const labels = { shared: "", "a-key": "own", "pools/rt": "" };
    const { profile } = created(create({}, { labels }));
    expect(profile.spec?.machineConfigPoolSelector).toEqual({ "pools/rt": "" });
    expect(
      created(create({}, { labels: { shared: "", b: "1", a: "1" } })).profile.spec?.machineConfigPoolSelector,
    ).toEqual({ a: "1" });
  });

  it.each<[string, Parameters<typeof create>[1], string]>([
    ["a pool without a label of its own", { labels: { shared: "" } }, "give it a label that no other pool has"],
    ["a pool that selects nodes by expressions only", { nodeSelector: {} }, "only by spec.nodeSelector.matchLabels"],
    ["a pool without nodes", { machines: [] }, "pool rt has no nodes"],
  ])("refuses %s", (_, world, reason) => {
    expect(create({}, world)).toEqual({ type: "refused", reasons: [expect.stringContaining(reason)] });
  });

  it("refuses nodes that differ, and says what to do", () => {
    const others = ["b", "c"].map((name) => machine(name, ["0/0:0,1", "0/1:2,4"]));
    expect(create({}, { machines: [machine("a"), ...others] })).toEqual({
      type: "refused",
      reasons: [
        "CPUs on NUMA node 0: 0-3 on node a, 0-2,4 on nodes b, c",
        "one profile cannot serve all nodes of pool rt: a profile names CPUs by number, so that all its nodes must have the same; give nodes of each kind a role label and a pool of their own, and create a profile for each pool",
      ],
    });
  });

  it("warns about offline CPUs", () => {
    const one = machine("a");
    const { warnings } = created(
      create({}, { machines: [{ ...one, topology: { ...one.topology, offline: [4, 5] } }] }),
    );
    expect(warnings).toEqual(["CPUs 4-5 of node a are offline and in no set"]);
  });
});

describe("profileDocument", () => {
  const plain = { coreIdsDiffer: false, explainHardwareTuning: false };

  it("is one document with sorted keys, and remarks behind it that are comments", () => {
    const { profile } = created(create({}));
    const text = profileDocument(profile, { coreIdsDiffer: true, explainHardwareTuning: true }, false);
    expect(text).toMatch(/^---\napiVersion: .*\nkind: PerformanceProfile\n/);
    expect(text).toContain("# hardwareTuning:\n#   isolatedCpuFreq: <kHz>\n");
    expect(readYaml(text)).toEqual(profile);
    expect(profileDocument(profile, plain, false)).not.toContain("#");
  });

  it("is in a ConfigMap on a hosted cluster", () => {
    const group: NodeGroup = { name: "np", type: "node pool", nodes: [] };
    const { profile } = created(create({}, { group }));
    expect(profile.spec?.nodeSelector).toEqual({ "node-role.kubernetes.io/worker": "" });
    expect(profile.spec).not.toHaveProperty("machineConfigPoolSelector");
    const envelope = readYaml(profileDocument(profile, plain, true)) as { data: { tuning: string } };
    expect(envelope).toMatchObject({ kind: "ConfigMap", metadata: { name: "performance", namespace: "clusters" } });
    expect(readYaml(envelope.data.tuning)).toEqual(profile);
  });
});

const least = { "reserved-cpu-count": "2", "rt-kernel": "false" };

function choicesOf(flags: Flags): Choices {
  const read = readChoices({ ...least, ...flags });
  if (read.type === "refused") throw new Error(read.reasons.join("; "));
  return read.choices;
}

interface World {
  readonly labels?: Record<string, string>;
  readonly nodeSelector?: Record<string, string>;
  readonly machines?: readonly Machine[];
  readonly group?: NodeGroup;
}

function create(flags: Flags, world: World = {}): Creation {
  const { labels = { role: "rt" }, nodeSelector = { "node-role.kubernetes.io/rt": "" } } = world;
  const pool = readPool({
    apiVersion: "",
    kind: "",
    metadata: { name: "rt", labels },
    spec: { nodeSelector: { matchLabels: nodeSelector } },
  });
  const other = readPool({ apiVersion: "", kind: "", metadata: { name: "worker", labels: { shared: "" } } });
  const group: NodeGroup = world.group ?? { name: "rt", type: "pool", pool, nodes: [] };
  return createProfile({
    choices: choicesOf(flags),
    group,
    machines: world.machines ?? [machine("a")],
    pools: [pool, other],
  });
}

function created(creation: Creation): Extract<Creation, { type: "created" }> {
  if (creation.type === "refused") throw new Error(creation.reasons.join("; "));
  return creation;
}

function machine(name: string, cores = ["0/0:0,1", "0/1:2,3"]): Machine {
  const topology = parseTopology({ numaNodes: [{ id: 0, cores }] });
  if (!topology) throw new Error("no topology");
  return { name, topology };
}
