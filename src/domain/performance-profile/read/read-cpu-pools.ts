import { parseCpuset } from "../../../language/cpu/kubernetes-cpuset.ts";
import { mostCpus } from "../../../language/cpu/cpu-mask.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import type { CpuSpec } from "../api.ts";
import type { CpuPool, CpuPools } from "../profile-facts.ts";
import type { Report } from "./read-shape.ts";

export const poolNames = ["reserved", "isolated", "offlined", "shared", "ovsDpdk"] as const;
export type PoolName = (typeof poolNames)[number];

export function readCpuPools(cpu: CpuSpec, report: Report): CpuPools | undefined {
  const pools = Object.fromEntries(
    poolNames.flatMap((name) => {
      const pool = readPool(name, cpu[name], report);
      return pool ? [[name, pool]] : [];
    }),
  ) as Partial<Record<PoolName, CpuPool>>;
  const { reserved, isolated } = pools;
  if (!reserved || !isolated) return undefined;
  for (const [name, { cpus, text }] of Object.entries({ reserved, isolated }))
    if (cpus.length === 0) report("CpuPoolEmpty", invalid(`spec.cpu.${name}`, text, "needs at least one CPU"));
  return { ...pools, reserved, isolated };
}

export function readPool(name: PoolName, text: string | undefined, report: Report): CpuPool | undefined {
  if (text === undefined) return undefined;
  const read = parseCpuset(text);
  if (read.type === "cpus") return { text, cpus: read.cpus };
  const why =
    read.type === "malformed"
      ? `${JSON.stringify(read.item)} is neither a CPU nor a range: write a list such as "0-3,8"`
      : `${JSON.stringify(read.item)} goes beyond CPU ${mostCpus - 1}`;
  report("CpuListMalformed", invalid(`spec.cpu.${name}`, text, why));
  return undefined;
}
