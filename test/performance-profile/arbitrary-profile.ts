import * as fc from "fast-check";
import { cpuSet, formatRanges } from "../../src/language/cpu/cpu-set.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import {
  annotations as annotationNames,
  type CpuSpec,
  type HugePage,
  type PerformanceProfileSpec,
  performanceProfileKind,
} from "../../src/domain/performance-profile/api.ts";
import type { DerivationInput } from "../../src/domain/performance-profile/derivation.ts";
import { topologyPolicies } from "../../src/domain/performance-profile/profile-facts.ts";
import { arbitraryKubelet, type ChosenKubelet } from "./arbitrary-kubelet.ts";

export interface ArbitraryProfile {
  readonly profile: KubeObject;
  readonly cluster: Omit<DerivationInput, "facts">;
}

/** Profiles without errors, with every field and annotation, and matching clusters. */
export function arbitraryProfile(): fc.Arbitrary<ArbitraryProfile> {
  return fc.record({ name, cpus, selectors, options, kubelet: arbitraryKubelet, said, cluster }).map(compose);
}

const anyFlag = fc.option(fc.boolean(), { nil: undefined });
const name = fc.constantFrom("cnf", "rt", "du-profile", "amd-x86-a", "0", "a.b-c", "x".repeat(63));

/** Adjacent CPUs and their pools. The first two pools always exist. */
const cpus = fc.record({
  first: fc.constantFrom(["reserved", "isolated"] as const, ["isolated", "reserved"] as const),
  runs: fc.array(
    fc.record({
      pool: fc.constantFrom("reserved", "isolated", "isolated", "offlined", "shared", "ovsDpdk", "nobody"),
      length: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 12 },
  ),
  writing: fc.constantFrom("ranges", "list", "backwards"),
  balanceIsolated: anyFlag,
  emptyPool: fc.constantFrom("offlined", "shared", "ovsDpdk", undefined),
});

const role = fc.constantFrom("worker", "master", "worker-cnf");
const label = fc.constantFrom<Record<string, string>>({ fast: "" }, { "example.com/pool": "rt" }, { constructor: "x" });
const selectors = fc.record({
  role,
  value: fc.constantFrom("", "true"),
  /** If the key names no role, all labels must be given. */
  roleless: fc.boolean(),
  machineConfigLabel: fc.option(label, { nil: undefined }),
  machineConfigPoolSelector: fc.option(label, { nil: undefined }),
});

const sizes = fc.constantFrom("64k", "2M", "32M", "512M", "1G", "16G");
const page: fc.Arbitrary<HugePage> = fc.record(
  { size: sizes, count: fc.integer({ min: 0, max: 2 ** 20 }), node: fc.integer({ min: 0, max: 7 }) },
  { requiredKeys: ["size"] },
);
const hex = fc.integer({ min: 0, max: 0xffff }).map((id) => `0x${id.toString(16)}`);
const device = fc.oneof(
  fc.record({ interfaceName: fc.constantFrom("eth0", "ens*", "!ens5", "!eth*", "enp1s0f0np0", "bond0.100") }),
  fc.record(
    { vendorID: hex, deviceID: hex, interfaceName: fc.constantFrom("eth0", "!a*") },
    { requiredKeys: ["vendorID"] },
  ),
);
const kiloHertz = fc.integer({ min: 800_000, max: 5_000_000 });
const words = fc.constantFrom(
  "audit=0",
  "nosmt",
  "quiet",
  "module_blacklist=a,b",
  'dyndbg="file a.c +p"',
  "x=#1",
  "-a",
  "+b",
);

const options = fc.record(
  {
    hardwareTuning: fc.record({ isolatedCpuFreq: kiloHertz, reservedCpuFreq: kiloHertz }),
    hugepages: fc.record({
      defaultHugepagesSize: sizes,
      pages: fc.uniqueArray(page, { maxLength: 4, selector: ({ size, node }) => `${size} ${node}` }),
    }),
    realTimeKernel: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }),
    kernelPageSize: fc.constantFrom("4k", "64k"),
    additionalKernelArgs: fc.array(words, { maxLength: 4 }),
    numa: fc.record({ topologyPolicy: fc.constantFrom(...topologyPolicies) }, { requiredKeys: [] }),
    net: fc.record(
      { userLevelNetworking: fc.boolean(), devices: fc.array(device, { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
    globallyDisableIrqLoadBalancing: fc.boolean(),
    workloadHints: fc.record(
      {
        realTime: fc.boolean(),
        highPowerConsumption: fc.boolean(),
        perPodPowerManagement: fc.boolean(),
        mixedCpus: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

const said = fc.record(
  {
    [annotationNames.pause]: fc.constantFrom("true", "false"),
    [annotationNames.rps]: fc.constantFrom("true", "enable", "false", "disable"),
    [annotationNames.physicalRps]: fc.constantFrom("true", "false"),
    [annotationNames.execAffinity]: fc.constantFrom("enable", "disable"),
    [annotationNames.dra]: fc.constantFrom("true", "T", "1", "0", "false"),
    [annotationNames.ovsDpdkBalancing]: fc.constantFrom("disable", "Disable", "enable"),
    "example.com/other": fc.string({ maxLength: 5 }),
  },
  { requiredKeys: [] },
);

const cluster = fc.record({
  poolKnown: fc.boolean(),
  partitioning: fc.constantFrom("None", "AllNodes"),
  mixedCpusAllowed: fc.boolean(),
});

type Chosen<T> = T extends fc.Arbitrary<infer U> ? U : never;
interface Choices {
  readonly name: string;
  readonly cpus: Chosen<typeof cpus>;
  readonly selectors: Chosen<typeof selectors>;
  readonly options: Chosen<typeof options>;
  readonly kubelet: ChosenKubelet;
  readonly said: Chosen<typeof said>;
  readonly cluster: Chosen<typeof cluster>;
}

/** The choice, without options that exclude each other. */
function compose(chosen: Choices): ArbitraryProfile {
  const cpu = cpuSpec(chosen.cpus);
  const { poolKnown, partitioning, mixedCpusAllowed } = chosen.cluster;
  const { realTimeKernel, workloadHints } = chosen.options;
  const hints = workloadHints && {
    ...workloadHints,
    ...(realTimeKernel?.enabled ? { realTime: true } : {}),
    ...(workloadHints.highPowerConsumption ? { perPodPowerManagement: false } : {}),
    mixedCpus: (workloadHints.mixedCpus ?? false) && Boolean(cpu.shared),
  };
  const mixed = (hints?.mixedCpus ?? false) && mixedCpusAllowed;
  const unprotected = Boolean(cpu.ovsDpdk) && partitioning === "None";
  const { [annotationNames.dra]: dra, ...others } = chosen.said;
  const managed = mixed || unprotected;
  const policy = chosen.options.numa?.topologyPolicy;
  const countsMemory = policy === "restricted" || policy === "single-numa-node";
  const kubelet = chosen.kubelet({ strict: unprotected, countsMemory });
  const spec: PerformanceProfileSpec = {
    ...chosen.options,
    ...labels(chosen.selectors),
    cpu,
    ...(hints ? { workloadHints: hints } : {}),
  };
  return {
    profile: {
      apiVersion: performanceProfileKind.apiVersion,
      kind: performanceProfileKind.kind,
      metadata: {
        name: chosen.name,
        annotations: {
          ...others,
          ...(managed || dra === undefined ? {} : { [annotationNames.dra]: dra }),
          ...(kubelet === undefined ? {} : { [annotationNames.experimentalKubelet]: kubelet }),
        },
      },
      spec,
    },
    cluster: {
      ...(poolKnown ? { pool: pool(chosen.selectors.role) } : {}),
      partitioning,
      mixedCpusAllowed,
    },
  };
}

function cpuSpec({ first, runs, writing, balanceIsolated, emptyPool }: Choices["cpus"]): CpuSpec {
  const pools = new Map<string, number[]>(emptyPool ? [[emptyPool, []]] : []);
  let cpu = 0;
  for (const { pool, length } of [...first.map((pool) => ({ pool, length: 1 })), ...runs])
    for (let i = 0; i < length; i++) pools.set(pool, [...(pools.get(pool) ?? []), cpu++]);
  pools.delete("nobody");
  const written = [...pools].map(([pool, members]) => [pool, write(members, writing)]);
  return {
    ...(Object.fromEntries(written) as CpuSpec),
    ...(balanceIsolated === undefined ? {} : { balanceIsolated }),
  };
}

function write(members: readonly number[], writing: Choices["cpus"]["writing"]): string {
  if (writing === "ranges") return formatRanges(cpuSet(members));
  return (writing === "list" ? members : members.toReversed()).join(",");
}

function labels({ role: given, value, roleless, machineConfigLabel, machineConfigPoolSelector }: Choices["selectors"]) {
  const named = {
    ...(machineConfigLabel ? { machineConfigLabel } : {}),
    ...(machineConfigPoolSelector ? { machineConfigPoolSelector } : {}),
  };
  if (!roleless || !machineConfigLabel || !machineConfigPoolSelector)
    return { ...named, nodeSelector: { [`node-role.kubernetes.io/${given}`]: value } };
  return { ...named, nodeSelector: { fast: value } };
}

function pool(given: string): KubeObject {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name: given, labels: { [`pools.operator.machineconfiguration.openshift.io/${given}`]: "" } },
  };
}
