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
 * The input of checks: a profile whose fields have the right types. Invalid texts are left out: `readFacts` reports them, and
 * the rest is checked too, so that an author sees all findings at once.
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
  /** Of all nodes. Absent: there are none, they differ, or it is unknown. */
  readonly architecture?: string | undefined;
  /** Absent: checked without a cluster. */
  readonly surroundings?: Surroundings | undefined;
}

/** A profile in a cluster. */
export interface Surrounded extends Judged {
  readonly surroundings: Surroundings;
  /** Of nodes whose topology is known. */
  readonly layouts: readonly Layout[];
  /** Absent: the cluster has no pools. */
  readonly pool?: PoolFor | undefined;
}

export function surrounded(judged: Judged, surroundings: Surroundings): Surrounded {
  const { nodes, pools } = surroundings;
  return {
    ...judged,
    surroundings,
    layouts: layoutsOf(nodes),
    pool: pools && poolFor(judged.spec.nodeSelector ?? {}, pools),
  };
}

export interface JudgedPool extends CpuPool {
  readonly name: PoolName;
  readonly field: string;
}

export interface JudgedPages extends HugePages {
  readonly field: string;
}

const ignore: Report = () => {};

/** Undefined if fields have wrong types. */
export function judgedOf(profile: KubeObject, surroundings?: Surroundings): Judged | undefined {
  const shaped = readShape(profile, ignore);
  if (!shaped) return undefined;
  const { name, spec, annotations } = shaped;
  const { kubelet, dra } = readAnnotations(annotations, ignore);
  return {
    name,
    spec,
    annotations,
    pools: poolsOf(spec),
    pages: pagesOf(spec),
    kubelet,
    dra,
    nosmt: (spec.additionalKernelArgs ?? []).some((word) => word === "nosmt" || word === "nosmt=force"),
    architecture: surroundings && architectureOf(surroundings),
    surroundings,
  };
}

function poolsOf({ cpu = {} }: PerformanceProfileSpec): JudgedPool[] {
  return poolNames.flatMap((name) => {
    const pool = readPool(name, cpu[name], ignore);
    return pool ? [{ ...pool, name, field: `spec.cpu.${name}` }] : [];
  });
}

function pagesOf({ hugepages }: PerformanceProfileSpec): JudgedPages[] {
  return (hugepages?.pages ?? []).flatMap((page, position) => {
    const field = index(child("spec.hugepages", "pages"), position);
    return readHugepages({ pages: [page] }, ignore).pages.map((pages) => ({ ...pages, field }));
  });
}

function architectureOf({ nodes }: Surroundings): string | undefined {
  const [first, ...others] = new Set(nodes.map(({ architecture }) => architecture));
  return others.length === 0 && first ? first : undefined;
}
