import fc from "fast-check";
import { formatRanges } from "../../cpu/cpu-set.ts";
import { type CpuTopology, onlineCpus } from "../../cpu/cpu-topology.ts";
import { anyTopology } from "../../cpu/testing/any-topology.ts";
import { get } from "../../object/json.ts";
import type { KubeObject } from "../../object/meta.ts";
import { annotations, apiVersion, type CpuSpec, type HugePage, type PerformanceProfileSpec } from "../api.ts";
import { defaultPools } from "../pools.ts";
import type { Surroundings } from "../surroundings.ts";

/** A profile, and a cluster that it suits. */
export interface Suited {
  readonly profile: KubeObject & { spec: PerformanceProfileSpec };
  readonly surroundings: Surroundings;
}

/** Sizes of pages with how many make a gibibyte; a machine's NUMA node has 8 of those. */
const kinds = {
  amd64: { "2M": 512, "1G": 1 },
  "arm64/4k": { "64k": 16_384, "2M": 512, "32M": 32, "1G": 1 },
  "arm64/64k": { "2M": 512, "512M": 2, "16G": 0 },
} as const;
const memoryKiB = 8 * 1024 * 1024;

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const identifier = fc.constantFrom("0x1af4", "0x8086", "0xA", "0x0");
const device = fc.oneof(
  fc.record({ interfaceName: fc.constantFrom("ens5", "!ens5", "eth*", "!eth*", "e_n.s:5@a-b") }),
  fc.record({ vendorID: identifier, deviceID: identifier }),
  fc.record({ vendorID: identifier }, { requiredKeys: [] }),
);
const truth = fc.constantFrom("true", "false", "enable", "disable", "1", "maybe", "");

/** To make a machine takes longer than to judge a profile for it, so the same few serve all. */
const machines = fc
  .sample(anyTopology, { numRuns: 300, seed: 1 })
  .map(withMemory)
  .filter((topology) => onlineCpus(topology).length > 1 && onlineCpus(topology).length <= 96);

/** What an author chooses by himself, whatever machine it is for. */
const choices = fc.record({
  kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
  topology: fc.constantFrom(...machines),
  shares: fc.array(fc.nat({ max: 19 }), { minLength: 1, maxLength: 40 }),
  balanceIsolated: maybe(fc.boolean()),
  role: label,
  name: label,
  defaultSize: maybe(fc.nat()),
  pages: fc.array(fc.record({ size: fc.nat(), count: fc.nat(), node: maybe(fc.nat()) }), { maxLength: 4 }),
  realTimeKernel: fc.boolean(),
  frequency: maybe(fc.integer({ min: 800_000, max: 5_000_000 })),
  additionalKernelArgs: maybe(
    fc.array(fc.constantFrom("audit=0", "nosmt", "idle=poll", 'a="b c"', "isolcpus=1", "", "two words"), {
      maxLength: 3,
    }),
  ),
  topologyPolicy: maybe(fc.constantFrom("none", "best-effort", "restricted", "single-numa-node")),
  net: maybe(fc.record({ userLevelNetworking: fc.boolean(), devices: fc.array(device, { maxLength: 3 }) })),
  irqs: maybe(fc.boolean()),
  realTime: maybe(fc.boolean()),
  power: fc.constantFrom({}, { highPowerConsumption: true }, { perPodPowerManagement: true }),
  mixes: fc.boolean(),
  dra: fc.boolean(),
  partitioned: fc.boolean(),
  labelled: fc.boolean(),
  said: fc.dictionary(
    fc.constantFrom(
      annotations.pause,
      annotations.rps,
      annotations.physicalRps,
      annotations.execAffinity,
      annotations.ovsDpdkBalancing,
    ),
    truth,
    { maxKeys: 3 },
  ),
  kubelet: fc.record(
    {
      podPidsLimit: fc.nat(),
      allowedUnsafeSysctls: fc.array(fc.string(), { maxLength: 2 }),
      evictionHard: fc.constantFrom({ "memory.available": "200Mi" }, { "nodefs.available": "5%" }),
      kubeReserved: fc.constantFrom({ memory: "1Gi" }, { cpu: "1", memory: "2G" }),
      cpuManagerPolicyOptions: fc.constantFrom({ "full-pcpus-only": "false" }, { "strict-cpu-reservation": "true" }),
    },
    { requiredKeys: [] },
  ),
  nodes: fc.integer({ min: 0, max: 3 }),
});
type Choices = typeof choices extends fc.Arbitrary<infer T> ? T : never;

/** Profiles of every kind that somebody with that machine could sensibly write. */
export const anySuited: fc.Arbitrary<Suited> = choices.map((choice) => {
  const cpu = division(choice);
  return { profile: profileOf(choice, cpu), surroundings: surroundingsOf(choice, cpu) };
});

function withMemory({ numaNodes, offline }: CpuTopology): CpuTopology {
  return { numaNodes: numaNodes.map((numaNode) => ({ ...numaNode, memoryKiB })), offline };
}

const pools = ["reserved", "offlined", "shared", "ovsDpdk"] as const;

/** Every CPU in one pool; the system and workloads get one each whatever comes. */
function division({ topology, shares, balanceIsolated }: Choices): CpuSpec {
  const [first = 0, second = 1, ...others] = onlineCpus(topology);
  const sets = {
    reserved: [first],
    isolated: [second],
    offlined: [...topology.offline],
    shared: [] as number[],
    ovsDpdk: [] as number[],
  };
  for (const [position, cpu] of others.entries())
    sets[pools[shares[position % shares.length] ?? 0] ?? "isolated"].push(cpu);
  const texts = Object.entries(sets).flatMap(([name, cpus]) =>
    cpus.length > 0 ? [[name, formatRanges(cpus.toSorted((a, b) => a - b))]] : [],
  );
  return {
    ...(Object.fromEntries(texts) as Record<keyof typeof sets, string>),
    ...(balanceIsolated === undefined ? {} : { balanceIsolated }),
  };
}

function profileOf(choice: Choices, cpu: CpuSpec): Suited["profile"] {
  const { role, frequency, topologyPolicy, irqs, net, additionalKernelArgs } = choice;
  const kernelPageSize = choice.kind.split("/")[1];
  const realTimeKernel = choice.realTimeKernel && kernelPageSize !== "64k";
  return {
    apiVersion,
    kind: "PerformanceProfile",
    metadata: {
      name: choice.name,
      annotations: {
        ...choice.said,
        [annotations.dra]: `${choice.dra}`,
        [annotations.experimentalKubelet]: JSON.stringify(choice.kubelet),
      },
    },
    spec: {
      cpu,
      nodeSelector: selectorOf(role),
      realTimeKernel: { enabled: realTimeKernel },
      workloadHints: {
        ...choice.power,
        mixedCpus: choice.mixes && cpu.shared !== undefined && !choice.dra,
        ...(choice.realTime === undefined || realTimeKernel ? {} : { realTime: choice.realTime }),
      },
      ...hugepagesOf(choice),
      ...(kernelPageSize === undefined ? {} : { kernelPageSize }),
      ...(frequency ? { hardwareTuning: { isolatedCpuFreq: frequency, reservedCpuFreq: frequency } } : {}),
      ...(additionalKernelArgs ? { additionalKernelArgs } : {}),
      ...(topologyPolicy ? { numa: { topologyPolicy } } : {}),
      ...(net ? { net } : {}),
      ...(irqs === undefined ? {} : { globallyDisableIrqLoadBalancing: irqs }),
      ...(choice.labelled ? { machineConfigLabel: { "machineconfiguration.openshift.io/role": role } } : {}),
    },
  };
}

function selectorOf(role: string): Record<string, string> {
  return { [`node-role.kubernetes.io/${role}`]: "" };
}

function hugepagesOf({ kind, defaultSize, pages, topology }: Choices): Pick<PerformanceProfileSpec, "hugepages"> {
  if (defaultSize === undefined) return {};
  const most = Object.entries(kinds[kind]);
  const pick = (chance: number): readonly [size: string, most: number] => most[chance % most.length] ?? ["2M", 0];
  const once = new Map(
    pages.map(({ size, count, node }): [string, HugePage] => {
      const [name, limit] = pick(size);
      const id = node === undefined ? undefined : topology.numaNodes[node % topology.numaNodes.length]?.id;
      const page = { size: name, count: count % (limit + 1) };
      return [`${name}/${id}`, id === undefined ? page : { ...page, node: id }];
    }),
  );
  return { hugepages: { defaultHugepagesSize: pick(defaultSize)[0], pages: [...once.values()] } };
}

function surroundingsOf(choice: Choices, cpu: CpuSpec): Surroundings {
  const strict = get(choice.kubelet.cpuManagerPolicyOptions, "strict-cpu-reservation") === "true";
  const protectsOvs = strict && !choice.dra;
  const matchLabels = selectorOf(choice.role);
  return {
    nodes: Array.from({ length: choice.nodes }, (_, position) => ({
      name: `${choice.role}-${position}`,
      architecture: choice.kind.split("/")[0] ?? "",
      cpus: onlineCpus(choice.topology).length,
      topology: choice.topology,
    })),
    otherProfiles: [{ name: "another", nodeSelector: selectorOf("another-one") }],
    pools: defaultPools([])
      .map((pool) => ({ ...pool, spec: { ...pool.spec, nodeSelector: { matchLabels } } }))
      .slice(0, 1),
    partitioning: choice.partitioned || (cpu.ovsDpdk !== undefined && !protectsOvs) ? "AllNodes" : "None",
    mixedCpusAllowed: choice.mixes,
    foreignWorkloads: [],
  };
}
