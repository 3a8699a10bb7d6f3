import type { PerformanceProfile } from "./api.ts";
import { selects } from "./pools.ts";

/** What a PerformanceProfile does for a node that it selects. */
export interface ProfileOfNode {
  readonly name: string;
  readonly state: "available" | "progressing" | "degraded" | "being deleted" | "unknown";
  /** Of the condition. */
  readonly reason: string;
  readonly message: string;
}

/** The profiles that select a node, by name. */
export function profilesOfNode(
  labels: Readonly<Record<string, string>>,
  profiles: readonly PerformanceProfile[],
): ProfileOfNode[] {
  return profiles
    .filter(({ spec }) => selects({ matchLabels: spec?.nodeSelector }, labels))
    .map(stateOf)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const states = { Degraded: "degraded", Progressing: "progressing", Available: "available" } as const;

function stateOf({ metadata, status }: PerformanceProfile): ProfileOfNode {
  const { name = "" } = metadata;
  if (metadata.deletionTimestamp) return { name, state: "being deleted", reason: "", message: "" };
  const found = status?.conditions?.find(({ type, status: value }) => value === "True" && Object.hasOwn(states, type));
  if (!found) return { name, state: "unknown", reason: "", message: "the operator has not reported on it" };
  return {
    name,
    state: states[found.type as keyof typeof states],
    reason: found.reason ?? "",
    message: found.message ?? "",
  };
}
