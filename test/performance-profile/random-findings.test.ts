import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { annotations, type PerformanceProfileSpec } from "../../src/domain/performance-profile/api.ts";
import { derive } from "../../src/domain/performance-profile/derive.ts";
import type { FieldFinding } from "../../src/domain/finding.ts";
import { findings } from "../../src/domain/performance-profile/findings.ts";
import { poolFor } from "../../src/domain/performance-profile/pools.ts";
import { readFacts } from "../../src/domain/performance-profile/read-facts.ts";
import type { Surroundings } from "../../src/domain/performance-profile/surroundings.ts";
import { anyHostile, anyMutation, mutated } from "./hostile.ts";
import { suitedProfile, type SuitedProfile } from "./suited-profile.ts";

/** A short run by default, a long one on request. Long tests are in parts, each with a time limit of its own. */
const { times, parts } = process.env["ATTUNE_LONG"] ? { times: 5, parts: [1, 2, 3, 4] } : { times: 1, parts: [1] };

function errorsOf(found: readonly FieldFinding[]): readonly FieldFinding[] {
  return found.filter(({ severity }) => severity === "error");
}

/** A profile that can be read gives four objects or reasons; without surroundings, a cluster with all features is assumed. */
function isDerivable(
  profile: KubeObject,
  { pools = [], partitioning, mixedCpusAllowed }: Pick<Surroundings, "pools" | "partitioning" | "mixedCpusAllowed"> = {
    partitioning: "AllNodes",
    mixedCpusAllowed: false,
  },
): boolean {
  const read = readFacts(profile);
  if (read.type === "unusable") return false;
  const found = poolFor(read.facts.nodeSelector, pools);
  const pool = found.type === "pool" ? { pool: found.pool } : {};
  return derive({ facts: read.facts, partitioning, mixedCpusAllowed, ...pool }).type === "derived";
}

describe("a profile that matches its cluster", () => {
  it.each(parts.slice(0, 2))("has no errors with and without the cluster, and four objects (part %i)", () => {
    fc.assert(
      fc.property(suitedProfile(), ({ profile, surroundings }) => {
        expect(errorsOf(findings(profile, surroundings))).toEqual([]);
        expect(errorsOf(findings(profile))).toEqual([]);
        expect(isDerivable(profile, surroundings)).toBe(true);
      }),
      { numRuns: 500 * times },
    );
  });
});

describe("a profile with random changes", () => {
  // Making a profile takes as long as judging one, so each is changed in three ways.
  it.each(parts)("has an error with a field whenever nothing can be derived (part %i)", () => {
    const mutations = fc.array(anyMutation, { minLength: 1, maxLength: 3 });
    const ways = fc.array(fc.tuple(mutations, fc.boolean()), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(suitedProfile(), ways, ({ profile, surroundings }, several) => {
        for (const [changes, asks] of several)
          judge(changes.reduce<unknown>(mutated, profile), asks ? surroundings : undefined);
      }),
      { numRuns: 500 * times },
    );
  });

  it("may be any value", () => {
    fc.assert(
      fc.property(anyHostile, (anything) => judge(anything, undefined)),
      { numRuns: 2000 * times },
    );
  });

  function judge(anything: unknown, surroundings: Surroundings | undefined): void {
    const profile = anything as KubeObject;
    const found = findings(profile, surroundings);
    for (const { field, name, message } of found)
      if (!/^[A-Z][A-Za-z0-9]+$/.test(name) || field === "" || message === "")
        expect.fail(`${name} ${field} ${message}`);
    expect(new Set(found.map((one) => JSON.stringify(one))).size, "findings that are reported once").toBe(found.length);
    if (!isDerivable(profile, surroundings)) expect(errorsOf(found)).not.toEqual([]);
  }
});

/** Breaks one rule of a valid profile; undefined if the rule cannot be broken. */
type Breaker = (suited: SuitedProfile, chance: number) => SuitedProfile | undefined;

const breakers: Record<string, Breaker> = {
  CpuPoolsOverlap: inCpu(({ isolated, reserved }) => ({ isolated: `${isolated},${reserved}` })),
  CpuListMalformed: inCpu(({ isolated }) => ({ isolated: `${isolated},` })),
  CpuPoolEmpty: inCpu(() => ({ reserved: "" })),
  FieldMissing: inCpu(({ isolated: _, ...others }) => others, "replace"),
  CpuDoesNotExist: onMachines(inCpu(({ isolated }) => ({ isolated: `${isolated},60000` }))),
  SeveralLabels: inSpec(() => ({ machineConfigPoolSelector: { a: "", b: "" } })),
  RoleUnknown: inSpec(() => ({ nodeSelector: { worker: "" }, machineConfigLabel: null })),
  LabelMalformed: inSpec(() => ({ machineConfigPoolSelector: { a: "b c" } })),
  FrequencyMissing: inSpec(() => ({ hardwareTuning: { isolatedCpuFreq: 1_000_000 } })),
  FrequencyNotPositive: inSpec((_, chance) => ({
    hardwareTuning: { isolatedCpuFreq: -chance, reservedCpuFreq: 1_000_000 },
  })),
  HugepageSizeUnsupported: inSpec(() => ({ hugepages: { defaultHugepagesSize: "3M" } })),
  HugepagesDefaultMissing: inSpec(() => ({ hugepages: { pages: [{ size: "2M", count: 1 }] } })),
  HugepagesRepeated: inSpec(() => ({
    hugepages: { defaultHugepagesSize: "2M", pages: [{ size: "2M" }, { size: "2M", count: 1 }] },
  })),
  HugepagesNegative: inSpec((_, chance) => ({
    hugepages: { defaultHugepagesSize: "2M", pages: [{ size: "2M", count: -1 - chance }] },
  })),
  HugepagesExceedMemory: onMachines(
    inSpec(() => ({ hugepages: { defaultHugepagesSize: "16G", pages: [{ size: "16G", count: 2 ** 31 - 1 }] } })),
  ),
  NumaNodeDoesNotExist: onMachines(
    inSpec(() => ({ hugepages: { defaultHugepagesSize: "2M", pages: [{ size: "2M", node: 999 }] } })),
  ),
  TopologyPolicyUnknown: inSpec(() => ({ numa: { topologyPolicy: "single-numa-Node" } })),
  DeviceWithoutVendor: inSpec(() => ({ net: { devices: [{ deviceID: "0x1" }] } })),
  RealTimeHintOff: inSpec(() => ({ realTimeKernel: { enabled: true }, workloadHints: { realTime: false } })),
  PowerHintsConflict: inSpec(() => ({ workloadHints: { highPowerConsumption: true, perPodPowerManagement: true } })),
  SharedCpusMissing: (suited, chance) =>
    suited.profile.spec.cpu?.shared
      ? undefined
      : inSpec(() => ({ workloadHints: { mixedCpus: true } }))(suited, chance),
  KubeletAnnotationMalformed: ({ profile, surroundings }) => ({
    profile: { ...profile, metadata: { ...profile.metadata, annotations: { [annotations.experimentalKubelet]: "{" } } },
    surroundings,
  }),
  NodeSelectorTaken: inCluster(({ otherProfiles }, { nodeSelector }) => ({
    otherProfiles: [...otherProfiles, { name: "first-come", nodeSelector: nodeSelector ?? {} }],
  })),
  ArchitecturesDiffer: inCluster(({ nodes }) => ({
    nodes: [...nodes, { name: "odd", architecture: "s390x" }, { name: "even", architecture: "ppc64le" }],
  })),
  CpuCountsDiffer: inCluster(({ nodes: [first] }) => ({
    nodes: first?.topology
      ? [
          first,
          { ...first, name: "odd", topology: { ...first.topology, offline: [60_000, 60_001, 60_002, 60_003, 60_004] } },
        ]
      : [
          { name: "odd", architecture: "amd64", cpus: 1 },
          { name: "even", architecture: "amd64", cpus: 50_000 },
        ],
  })),
};

describe("a profile that breaks one rule", () => {
  it.each(Object.entries(breakers))("has an error: %s", (name, broken) => {
    fc.assert(
      fc.property(suitedProfile(), fc.nat({ max: 1000 }), (suited, chance) => {
        const worse = broken(suited, chance);
        if (!worse) return;
        const found = errorsOf(findings(worse.profile, worse.surroundings)).map((finding) => finding.name);
        expect(found).toContain(name);
      }),
      { numRuns: 40 * times },
    );
  });
});

function onMachines(breaker: Breaker): Breaker {
  return (suited, chance) =>
    suited.surroundings.nodes.some(({ topology }) => topology) ? breaker(suited, chance) : undefined;
}

function inSpec(change: (spec: PerformanceProfileSpec, chance: number) => object): Breaker {
  return ({ profile, surroundings }, chance) => ({
    profile: { ...profile, spec: { ...profile.spec, ...change(profile.spec, chance) } },
    surroundings,
  });
}

function inCpu(
  change: (cpu: NonNullable<PerformanceProfileSpec["cpu"]>) => object,
  how: "merge" | "replace" = "merge",
): Breaker {
  return inSpec(({ cpu = {} }) => ({ cpu: how === "merge" ? { ...cpu, ...change(cpu) } : change(cpu) }));
}

function inCluster(change: (around: Surroundings, spec: PerformanceProfileSpec) => Partial<Surroundings>): Breaker {
  return ({ profile, surroundings }) => ({
    profile,
    surroundings: { ...surroundings, ...change(surroundings, profile.spec) },
  });
}
