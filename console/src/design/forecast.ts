import { type FieldFinding, formatFinding, type ObjectFinding } from "../../../src/domain/finding.ts";
import { apiVersion } from "../../../src/domain/performance-profile/api.ts";
import { convertProfile } from "../../../src/domain/performance-profile/conversion/conversion.ts";
import { findings } from "../../../src/domain/performance-profile/findings.ts";
import { surroundingsOf } from "../../../src/domain/performance-profile/surroundings.ts";
import type { ChangePlan } from "../../../src/domain/plan/change-plan.ts";
import { type ClusterState, planChanges } from "../../../src/domain/plan/plan-changes.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";

/** What a profile would do, and what is wrong with it. */
export interface Forecast {
  /** By field of the profile. */
  readonly findings: readonly FieldFinding[];
  /** Absent: the profile would be rejected, and the findings say why. */
  readonly plan?: ChangePlan;
  /** What to know beside the fields: of pools, rules and other objects. */
  readonly notes: readonly ObjectFinding[];
  /** Names of the nodes that restart. */
  readonly reboots: readonly string[];
}

/** As `attune plan`, for one PerformanceProfile, with what the browser knows of the cluster. */
export function forecast(profile: KubeObject, cluster: ClusterState): Forecast {
  const converted = convertProfile(profile, apiVersion);
  const { pools, machineConfigs } = cluster.tuning;
  const found = findings(converted, surroundingsOf(converted, { ...cluster, pools, machineConfigs }));
  const before = cluster.performanceProfiles.find(({ metadata }) => metadata.name === profile.metadata.name);
  const after = { ...before, ...profile, metadata: { ...before?.metadata, ...profile.metadata } };
  const result = planChanges({ writes: [{ place: "this design", before, after }], cluster });
  if (result.type === "refused") return { findings: found, notes: [], reboots: [] };
  const { plan } = result;
  const messages = new Set(found.map(formatFinding));
  const notes = plan.findings.filter(({ message }) => !messages.has(message));
  return { findings: found, plan, notes, reboots: rebootsOf(plan) };
}

/** Names of the nodes that a plan restarts. */
export function rebootsOf({ pools }: Pick<ChangePlan, "pools">): readonly string[] {
  return pools.flatMap(({ updates }) =>
    updates.filter(({ level }) => level === "reboot").flatMap(({ nodes }) => nodes),
  );
}
