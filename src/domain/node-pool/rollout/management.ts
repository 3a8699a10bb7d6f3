import { parseDuration } from "../../../language/schema/cel/time-value.ts";
import type { NodePool } from "../api.ts";
import type { Outcome } from "../conditions.ts";

/** How nodes of a NodePool may be updated. */
export interface Management {
  readonly upgradeType: "InPlace" | "Replace";
  /** InPlace: of nodes that are away at once, at least one. */
  readonly maxUnavailable: number;
  /** InPlace: how long a drain may take. */
  readonly drainTimeoutMs?: number | undefined;
  readonly outcome: Outcome;
}

/** What is wrong is a condition; meanwhile one node at a time is updated. */
export function managementOf({ spec }: NodePool): Management {
  const { upgradeType = "Replace", inPlace } = spec?.management ?? {};
  const scaled = scaledBudget(inPlace?.maxUnavailable, spec?.replicas ?? 0);
  const drain = drainTimeout(spec?.nodeDrainTimeout);
  const problem = [scaled, drain].find((one) => typeof one === "string");
  return {
    upgradeType,
    maxUnavailable: typeof scaled === "number" ? scaled : 1,
    ...(typeof drain === "number" && drain > 0 ? { drainTimeoutMs: drain } : {}),
    outcome: {
      type: "UpdateManagementEnabled",
      status: problem === undefined ? "True" : "False",
      reason: problem === undefined ? "AsExpected" : "ValidationFailed",
      message: problem ?? "",
    },
  };
}

/** Milliseconds, or why there are none. */
function drainTimeout(value: string | undefined): number | string {
  if (value === undefined || value === "") return 0;
  const { nanos } = parseDuration(value) ?? { nanos: -1n };
  const ms = Math.ceil(Number(nanos) / 1_000_000);
  if (nanos >= 0n && Number.isSafeInteger(ms)) return ms;
  return `spec.nodeDrainTimeout: ${JSON.stringify(value).slice(0, 100)} is no duration such as "30m": drains are not limited`;
}

/** A number, or why there is none. Percentages are of the replicas that are wanted, rounded down to at least one. */
function scaledBudget(value: number | string | undefined, replicas: number): number | string {
  if (value === undefined) return 1;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return Math.max(1, value);
  const percent = /^(\d{1,4})%$/.exec(String(value))?.[1];
  if (percent !== undefined) return Math.max(1, Math.floor((replicas * Number(percent)) / 100));
  return `spec.management.inPlace.maxUnavailable: ${JSON.stringify(value).slice(0, 100)} is neither a number of nodes nor a percentage such as "10%"`;
}
