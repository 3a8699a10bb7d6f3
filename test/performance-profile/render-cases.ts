import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { MachineConfigPool } from "../../src/domain/machine-config/api.ts";
import type { Json } from "../../src/language/object/json.ts";
import type { KubeObject, ObjectMeta } from "../../src/language/object/meta.ts";
import { applyMergePatch } from "../../src/language/patch/merge-patch.ts";
import { performanceProfileKind, type PerformanceProfileSpec } from "../../src/domain/performance-profile/api.ts";
import type { PartitioningMode } from "../../src/domain/workload-partitioning/identifier.ts";

const folder = join(import.meta.dirname, "../fixtures/performance-profile/render");

interface Recorded {
  readonly name: string;
  /** Absent: there was no Infrastructure. */
  readonly cpuPartitioning?: PartitioningMode;
  readonly profile: { readonly metadata: ObjectMeta; readonly spec: PerformanceProfileSpec };
  readonly differs?: Json;
  readonly error?: string;
}

export interface RenderCase {
  readonly name: string;
  readonly profile: KubeObject;
  readonly pool: MachineConfigPool;
  readonly partitioning: PartitioningMode;
  /** Reduced. Absent: nothing can be derived. */
  readonly expected?: Readonly<Record<string, unknown>>;
}

/** Profiles, and the objects that the replaced operator derived from each. */
export function renderCases(): readonly RenderCase[] {
  const plain = read("plain.yaml") as Json;
  const partitioned = applyMergePatch(plain, read("partitioned.yaml") as Json);
  const { pool, cases } = read("cases.yaml") as { pool: MachineConfigPool; cases: Recorded[] };
  return cases.map(({ name, cpuPartitioning = "None", profile, differs }) => {
    const base = cpuPartitioning === "AllNodes" ? partitioned : plain;
    const { apiVersion, kind } = performanceProfileKind;
    return {
      name,
      profile: { apiVersion, kind, ...profile },
      pool,
      partitioning: cpuPartitioning,
      ...(differs === undefined
        ? {}
        : { expected: named(applyMergePatch(base, differs), profile.metadata.name ?? "") }),
    };
  });
}

function named(expected: Json, profile: string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(expected).replaceAll("PROFILE", profile)) as Record<string, unknown>;
}

function read(file: string): unknown {
  return parse(readFileSync(join(folder, file), "utf8"));
}
