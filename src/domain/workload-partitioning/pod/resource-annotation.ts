import { cpuShares } from "../../../language/cpu/shares.ts";
import { readJson } from "../../../language/object/exact-json.ts";
import { isObject } from "../../../language/object/json.ts";
import type { ProblemCode } from "../admission.ts";
import type { ReleaseRules } from "../release.ts";

/** What a resource annotation tells CRI-O. */
export interface ContainerCpu {
  readonly shares: bigint;
  /** Millicores. 0: no limit. */
  readonly limit: bigint;
}

/** CRI-O gives a container without CPU the least there is. Written with a blank in all releases. */
export const leastCpu = '{"cpushares": 2}';

/** Of integers in Go. */
export const largestInteger = 2n ** 63n - 1n;

/** No value that CRI-O reads is as long. */
const longestText = 1024;

export function writeCpu(millicores: bigint, limit: bigint, { spaced, limitAndRequest }: ReleaseRules): string {
  const blank = spaced ? " " : "";
  const carried = limitAndRequest === "carried" && limit > 0n ? `,"cpulimit":${blank}${limit}` : "";
  return `{"cpushares":${blank}${cpuShares(millicores)}${carried}}`;
}

/** Read strictly: one JSON object with these integers alone. CRI-O would take a CPU set from it too. */
export function readCpu(text: string): ContainerCpu | undefined {
  const integers = integersIn(text);
  if (!integers || Object.keys(integers).some((key) => key !== "cpushares" && key !== "cpulimit")) return undefined;
  const { cpushares: shares = 0n, cpulimit: limit = 0n } = integers;
  return shares < 0n ? undefined : { shares, limit };
}

/** Why validation refuses an annotation of a pod that has a target, or not. */
export function cpuProblem(
  text: string,
  hasTarget: boolean,
  schema: ReleaseRules["resourcesSchema"],
): ProblemCode | undefined {
  if (schema === "shares-and-limit") return readCpu(text) ? undefined : "resource-annotation-undecodable";
  const integers = integersIn(text);
  if (!integers) return "resource-annotation-undecodable";
  if (!hasTarget) return undefined;
  if (Object.keys(integers).length > 1) return "resource-annotation-extra-keys";
  return Object.hasOwn(integers, "cpushares") ? undefined : "resource-annotation-not-cpushares";
}

/** The integers of a JSON object that has nothing else; JSON's null is one without any, as for Go. */
function integersIn(text: string): Readonly<Record<string, bigint>> | undefined {
  const value = text.length > longestText ? undefined : parsed(text);
  if (!isObject(value)) return undefined;
  const integers = Object.entries(value).map(([key, one]) => [key, integer(one)] as const);
  return integers.every((one): one is [string, bigint] => one[1] !== undefined)
    ? Object.fromEntries(integers)
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return readJson(text) ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function integer(value: unknown): bigint | undefined {
  return typeof value === "bigint" ? value : Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
}
