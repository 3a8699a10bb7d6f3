import type { NodePool } from "../api.ts";
import type { Outcome } from "../conditions.ts";

/** How nodes of a NodePool may be updated. */
export interface Management {
  readonly upgradeType: "InPlace" | "Replace";
  /** InPlace: of nodes that are away at once, at least one. */
  readonly maxUnavailable: number;
  readonly outcome: Outcome;
}

/** What is wrong is a condition; meanwhile one node at a time is updated. */
export function managementOf({ spec }: NodePool): Management {
  const { upgradeType = "Replace", inPlace } = spec?.management ?? {};
  const scaled = scaledBudget(inPlace?.maxUnavailable, spec?.replicas ?? 0);
  const problem = typeof scaled === "string" ? scaled : undefined;
  return {
    upgradeType,
    maxUnavailable: typeof scaled === "number" ? scaled : 1,
    outcome: {
      type: "UpdateManagementEnabled",
      status: problem === undefined ? "True" : "False",
      reason: problem === undefined ? "AsExpected" : "ValidationFailed",
      message: problem ?? "",
    },
  };
}

/** A number, or why there is none. Percentages are of the replicas that are wanted, rounded down to at least one. */
function scaledBudget(value: number | string | undefined, replicas: number): number | string {
  if (value === undefined) return 1;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return Math.max(1, value);
  const percent = /^(\d{1,4})%$/.exec(String(value))?.[1];
  if (percent !== undefined) return Math.max(1, Math.floor((replicas * Number(percent)) / 100));
  return `spec.management.inPlace.maxUnavailable: ${JSON.stringify(value).slice(0, 100)} is neither a number of nodes nor a percentage such as "10%"`;
}
