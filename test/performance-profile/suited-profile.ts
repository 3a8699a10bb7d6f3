import * as fc from "fast-check";
import { cpuSet } from "../../src/language/cpu/cpu-set.ts";
import type { CpuTopology } from "../../src/language/cpu/cpu-topology.ts";
import { parseCpuset } from "../../src/language/cpu/kubernetes-cpuset.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { PerformanceProfileSpec } from "../../src/domain/performance-profile/api.ts";
import type { Surroundings } from "../../src/domain/performance-profile/surroundings.ts";
import { type ArbitraryProfile, arbitraryProfile } from "./arbitrary-profile.ts";

/** A profile and a cluster with matching nodes. */
export interface SuitedProfile {
  readonly profile: KubeObject & { readonly spec: PerformanceProfileSpec };
  readonly surroundings: Surroundings;
}

export function suitedProfile(): fc.Arbitrary<SuitedProfile> {
  const shape = fc.record({
    threads: fc.constantFrom(1, 2, 4),
    adjacent: fc.boolean(),
    nodes: fc.integer({ min: 0, max: 3 }),
    counted: fc.boolean(),
  });
  return fc.tuple(arbitraryProfile(), shape).map(([given, chosen]) => {
    const profile = given.profile as SuitedProfile["profile"];
    return { profile, surroundings: surroundingsOf(given, profile.spec, chosen) };
  });
}

interface Shape {
  readonly threads: number;
  /** Whether threads of a core have adjacent numbers. */
  readonly adjacent: boolean;
  readonly nodes: number;
  /** Whether only the number of CPUs is known. */
  readonly counted: boolean;
}

function surroundingsOf({ cluster }: ArbitraryProfile, spec: PerformanceProfileSpec, shape: Shape): Surroundings {
  const { pool, partitioning, mixedCpusAllowed } = cluster;
  const topology = machineFor(spec, shape);
  const cpus = cpusOf(spec).length;
  const matchLabels = spec.nodeSelector ?? {};
  return {
    nodes: Array.from({ length: shape.nodes }, (_, position) => ({
      name: `node-${position}`,
      architecture: architectureFor(spec),
      cpus,
      ...(shape.counted ? {} : { topology }),
    })),
    otherProfiles: [{ name: "another", nodeSelector: { "node-role.kubernetes.io/another": "" } }],
    ...(pool ? { pools: [{ ...pool, spec: { ...pool.spec, nodeSelector: { matchLabels } } }] } : {}),
    partitioning,
    mixedCpusAllowed,
    foreignWorkloads: [],
  };
}

/** Page sizes of each architecture; an unknown one may have any. */
function architectureFor({ hugepages, kernelPageSize, realTimeKernel }: PerformanceProfileSpec): string {
  const used = [hugepages?.defaultHugepagesSize ?? "2M", ...(hugepages?.pages ?? []).map(({ size = "" }) => size)];
  const has = (sizes: readonly string[]): boolean => used.every((size) => sizes.includes(size));
  if (kernelPageSize === "64k") return !realTimeKernel?.enabled && has(["2M", "512M", "16G"]) ? "arm64" : "riscv64";
  if (has(["2M", "1G"])) return "amd64";
  return has(["64k", "2M", "32M", "1G"]) ? "arm64" : "riscv64";
}

function cpusOf({ cpu = {} }: PerformanceProfileSpec): readonly number[] {
  const { reserved, isolated, offlined, shared, ovsDpdk } = cpu;
  const pools = [reserved, isolated, offlined, shared, ovsDpdk].map((text) => parseCpuset(text ?? ""));
  return cpuSet(pools.flatMap((pool) => (pool.type === "cpus" ? pool.cpus : [])));
}

/** Eight NUMA nodes with alternating cores and plenty of memory. */
function machineFor(spec: PerformanceProfileSpec, { threads, adjacent }: Shape): CpuTopology {
  const count = (cpusOf(spec).at(-1) ?? 0) + 1;
  const total = Math.ceil(count / threads);
  const cpu = (core: number, thread: number): number => (adjacent ? core * threads + thread : core + thread * total);
  const cores = Array.from({ length: total }, (_, core) => ({
    id: core,
    socket: 0,
    cpus: cpuSet(Array.from({ length: threads }, (_none, thread) => cpu(core, thread))),
  }));
  return {
    numaNodes: Array.from({ length: 8 }, (_, id) => ({
      id,
      memoryKiB: 2 ** 50,
      cores: cores.filter((core) => core.id % 8 === id),
    })),
    offline: [],
  };
}
