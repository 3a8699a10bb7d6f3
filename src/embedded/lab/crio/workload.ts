import { parseCpuset } from "../../../language/cpu/kubernetes-cpuset.ts";
import { cpuQuota } from "../../../language/cpu/shares.ts";
import { isObject, type JsonObject } from "../../../language/object/json.ts";

/** A table `crio.runtime.workloads.NAME`. */
export interface Workload {
  /** Pods with this annotation are of the workload, whatever its value. */
  readonly activation: string;
  /** `PREFIX/CONTAINER` is the annotation with the resources of one container. */
  readonly prefix: string;
  /** Of containers without an annotation, and for what theirs leaves out. */
  readonly defaults: CpuResources;
}

/** 0 and an empty text: not set. */
export interface CpuResources {
  readonly shares: number;
  readonly quota: number;
  readonly period: number;
  readonly cpus: string;
}

export const noResources: CpuResources = { shares: 0, quota: 0, period: 0, cpus: "" };

export type ContainerResources =
  | { readonly type: "resources"; readonly resources: CpuResources }
  /** The runtime does not create the container. */
  | { readonly type: "error"; readonly message: string };

const smallestPeriod = 1000;

/** Why CRI-O does not start with such a table. */
export function invalidWorkload({ activation, defaults }: Workload): string | undefined {
  if (activation === "") return "activation_annotation is empty";
  if (parseCpuset(defaults.cpus).type !== "cpus")
    return `cpuset ${JSON.stringify(defaults.cpus)} is not a list of CPUs`;
  if (defaults.quota !== 0 && defaults.quota < defaults.shares)
    return `cpuquota ${defaults.quota} is below cpushares ${defaults.shares}`;
  if (defaults.period !== 0 && defaults.period < smallestPeriod) return `cpuperiod ${defaults.period} is below 1000 us`;
  return undefined;
}

/** The workload that a pod belongs to. */
export function activeWorkload(
  workloads: Iterable<Workload>,
  annotations: Readonly<Record<string, string>>,
): Workload | undefined {
  return [...workloads].find(({ activation }) => Object.hasOwn(annotations, activation));
}

/** What CRI-O sets for one container of a pod of this workload. */
export function resourcesOf(
  { prefix, defaults }: Workload,
  container: string,
  annotations: Readonly<Record<string, string>>,
): ContainerResources {
  const key = `${prefix}/${container}`;
  const text = annotations[key];
  if (text === undefined) return { type: "resources", resources: defaults };
  const given = parsed(text);
  // JSON null replaces the whole structure, the defaults included.
  if (given === null) return { type: "resources", resources: noResources };
  const fault = given === undefined ? "not a JSON object" : wrongType(given);
  if (fault !== undefined || given === undefined) return { type: "error", message: `annotation ${key}: ${fault}` };
  const number = (name: string): number => Number(given[name] ?? 0);
  const period = number("cpuperiod") || defaults.period;
  const limit = number("cpulimit");
  return {
    type: "resources",
    resources: {
      shares: number("cpushares") || defaults.shares,
      quota:
        limit === 0
          ? number("cpuquota") || defaults.quota
          : Number(cpuQuota(BigInt(limit), period === 0 ? undefined : BigInt(period))),
      period,
      cpus: (typeof given["cpuset"] === "string" && given["cpuset"]) || defaults.cpus,
    },
  };
}

function parsed(text: string): JsonObject | null | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value === null || isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function wrongType(given: JsonObject): string | undefined {
  for (const [name, least] of [
    ["cpushares", 0],
    ["cpuquota", -Infinity],
    ["cpuperiod", 0],
    ["cpulimit", -Infinity],
  ] as const) {
    const value = given[name] ?? 0;
    if (typeof value === "bigint" || !Number.isInteger(value) || Number(value) < least)
      return `${name} is not a whole number`;
  }
  return typeof (given["cpuset"] ?? "") === "string" ? undefined : "cpuset is not a text";
}
