import type { JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { child, index } from "../../../language/schema/path.ts";
import type { PerformanceProfileSpec } from "../api.ts";
import { type PoolFor, poolFor } from "../pools.ts";
import type { CpuPool, HugePages } from "../profile-facts.ts";
import { readAnnotations } from "../read/read-annotations.ts";
import { type PoolName, poolNames, readPool } from "../read/read-cpu-pools.ts";
import { readHugepages } from "../read/read-hugepages.ts";
import { readShape, type Report } from "../read/read-shape.ts";
import type { Surroundings } from "../surroundings.ts";
import { type Layout, layoutsOf } from "./layouts.ts";

/**
 * What checks look at: a profile whose fields are what they claim to be. Texts that make no sense are left out: whoever
 * reads facts tells of them, and the rest is judged all the same, so that an author hears of everything at once.
 */
export interface Judged {
  readonly name: string;
  readonly spec: PerformanceProfileSpec;
  readonly annotations: Readonly<Record<string, string>>;
  readonly pools: readonly JudgedPool[];
  readonly pages: readonly JudgedPages[];
  /** Fields of a KubeletConfiguration that the author adds. */
  readonly kubelet: JsonObject;
  readonly dra: boolean;
  /** The kernel starts one thread of each core only. */
  readonly nosmt: boolean;
  /** Of all nodes. Absent: there are none, they differ, or nobody knows. */
  readonly architecture?: string;
  /** Absent: no cluster was asked. */
  readonly surroundings?: Surroundings;
}

/** A profile in a cluster. */
export interface Surrounded extends Judged {
  readonly surroundings: Surroundings;
  /** Of nodes whose CPUs are known one by one. */
  readonly layouts: readonly Layout[];
  /** Absent: the cluster knows no pools. */
  readonly pool?: PoolFor;
}

export function surrounded(judged: Judged, surroundings: Surroundings): Surrounded {
  const { nodes, pools } = surroundings;
  return {
    ...judged,
    surroundings,
    layouts: layoutsOf(nodes),
    ...(pools ? { pool: poolFor(judged.spec.nodeSelector ?? {}, pools) } : {}),
  };
}

export interface JudgedPool extends CpuPool {
  readonly name: PoolName;
  readonly field: string;
}

export interface JudgedPages extends HugePages {
  readonly field: string;
}

const unheard: Report = () => {};

/** Absent where not even the fields are what they claim to be. */
export function judgedOf(profile: KubeObject, surroundings?: Surroundings): Judged | undefined {
  const shaped = readShape(profile, unheard);
  if (!shaped) return undefined;
  const { name, spec, annotations } = shaped;
  const { kubelet, dra } = readAnnotations(annotations, unheard);
  const architecture = surroundings && architectureOf(surroundings);
  return {
    name,
    spec,
    annotations,
    pools: poolsOf(spec),
    pages: pagesOf(spec),
    kubelet,
    dra,
    nosmt: (spec.additionalKernelArgs ?? []).some((word) => word === "nosmt" || word === "nosmt=force"),
    ...(architecture === undefined ? {} : { architecture }),
    ...(surroundings ? { surroundings } : {}),
  };
}

function poolsOf({ cpu = {} }: PerformanceProfileSpec): JudgedPool[] {
  return poolNames.flatMap((name) => {
    const pool = readPool(name, cpu[name], unheard);
    return pool ? [{ ...pool, name, field: `spec.cpu.${name}` }] : [];
  });
}

function pagesOf({ hugepages }: PerformanceProfileSpec): JudgedPages[] {
  return (hugepages?.pages ?? []).flatMap((page, position) => {
    const field = index(child("spec.hugepages", "pages"), position);
    return readHugepages({ pages: [page] }, unheard).pages.map((pages) => ({ ...pages, field }));
  });
}

function architectureOf({ nodes }: Surroundings): string | undefined {
  const [first, ...others] = new Set(nodes.map(({ architecture }) => architecture));
  return others.length === 0 && first ? first : undefined;
}
