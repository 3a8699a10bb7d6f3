import { type Condition, findCondition, isTrue, setCondition } from "../../language/object/condition.ts";
import { readStatus } from "../hosted/envelope/profile-status.ts";
import { type ConfigMap, formatProblem, type ManifestProblem } from "../hosted/envelope/read-manifests.ts";
import { degraded, stateConditions } from "../performance-profile/status.ts";
import { contentOf, type EmbeddedProfile, type HostedProtocol, nodePoolOf, protocols } from "../hosted/protocol.ts";
import type { NodePool } from "./api.ts";

/** A condition without its times. */
export type Outcome = Pick<Condition, "type" | "status" | "reason" | "message">;

/** Under the documented column: whether nodes have the profile. */
export const appliedCondition = "PerformanceProfileAppliedSuccessfully";
/** Under the shipped column: the conditions of the profile. */
export const copiedPrefix = "performance.operator.openshift.io/";

/** Of the CRD. */
const mostCharacters = 32_768;

/** `ValidTuningConfig` or `ValidMachineConfig`: whether all that a NodePool refers to can be used. */
export function validCondition(
  type: "ValidTuningConfig" | "ValidMachineConfig",
  problems: readonly ManifestProblem[],
): Outcome {
  if (problems.length === 0) return { type, status: "True", reason: "AsExpected", message: "" };
  const message = problems.map(formatProblem).join("\n");
  return { type, status: "False", reason: "ValidationFailed", message: cut(message) };
}

function cut(message: string): string {
  const end = "\n… (more problems)";
  return message.length > mostCharacters ? `${message.slice(0, mostCharacters - end.length)}${end}` : message;
}

export interface ProfileConditionsInput {
  /** Absent: the NodePool has none. */
  readonly profile?: EmbeddedProfile | undefined;
  /** The NodePool refers to another one, which is invalid: whatever the operator reports is about what nodes keep. */
  readonly isLastGood?: boolean;
  /** ConfigMaps of the control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  readonly protocol: HostedProtocol;
  /** What the NodePool tells about a rollout to the nodes that it has; one that replaces them is told apart. */
  readonly rollout?: readonly Outcome[] | undefined;
}

/** What a NodePool tells about its profile. There are no other conditions about it. */
export function profileConditions(input: ProfileConditionsInput): Outcome[] {
  const { profile, isLastGood = false, controlPlane, protocol, rollout } = input;
  if (!profile) return [];
  const configMap = statusConfigMap(profile, controlPlane, protocol);
  const read = isLastGood ? invalidProfile : configMap && readStatus(configMap);
  if (protocol.profileConditions === "copied") {
    const conditions = read?.type === "status" ? read.conditions : [];
    return conditions.map(({ type, lastTransitionTime: _, ...condition }) => ({
      ...condition,
      type: `${copiedPrefix}${type}`,
    }));
  }
  const outcome = applied(read);
  // The operator learns of a new configuration after this side: until then it reports on the nodes of the old one.
  const updating = rollout?.find(({ type, status }) => type === "UpdatingConfig" && status === "True");
  return [
    outcome.status === "True" && updating
      ? { type: appliedCondition, status: "False", reason: updating.type, message: updating.message }
      : { type: appliedCondition, ...outcome },
  ];
}

const invalidProfile = {
  type: "status",
  conditions: stateConditions(
    degraded(
      "ValidationFailed",
      "the profile that the NodePool refers to is not applied: see condition ValidTuningConfig; nodes keep the last valid one",
    ),
    [],
    "",
  ),
} as const;

/** Those of other profiles are left over. */
function statusConfigMap(
  profile: EmbeddedProfile,
  controlPlane: readonly ConfigMap[],
  protocol: HostedProtocol,
): ConfigMap | undefined {
  const found = controlPlane.filter((one) => contentOf(one) === "status" && nodePoolOf(one) === profile.nodePool);
  const names = [protocol, ...Object.values(protocols)].map((column) => column.children(profile).status);
  const [first] = names.flatMap((name) => found.filter(({ metadata }) => metadata.name === name));
  return first;
}

function applied(read: ReturnType<typeof readStatus> | undefined): Omit<Outcome, "type"> {
  const not = (reason: string, message: string): Omit<Outcome, "type"> => ({ status: "False", reason, message });
  if (!read)
    return not("WaitingForStatus", "the operator of the hosted cluster has not reported about the profile yet");
  if (read.type === "problem") return not("StatusUnreadable", read.problem);
  const { conditions } = read;
  for (const type of ["Degraded", "Progressing"]) {
    const found = findCondition(conditions, type);
    if (found?.status === "True") return not(found.reason || type, found.message);
  }
  if (isTrue(conditions, "Available")) return { status: "True", reason: "AsExpected", message: "" };
  return not("NotAvailable", "the operator of the hosted cluster does not report the profile as available");
}

/** About the writes of the operator of its hosted cluster. */
export const writableCondition = "HostedClusterWritable";

export function isRefused({ status }: NodePool): boolean {
  return findCondition(status?.conditions, writableCondition)?.status === "False";
}

/** Conditions of a NodePool with these outcomes; those about a profile that are not among them are removed. */
export function withConditions(
  old: readonly Condition[],
  outcomes: readonly Outcome[],
  { generation, now }: { readonly generation: number | undefined; readonly now: string },
): readonly Condition[] {
  const wanted = new Set(outcomes.map(({ type }) => type));
  const isStale = ({ type }: Condition): boolean =>
    (type === appliedCondition || type.startsWith(copiedPrefix)) && !wanted.has(type);
  const kept = old.some(isStale) ? old.filter((condition) => !isStale(condition)) : old;
  return outcomes.reduce<readonly Condition[]>(
    (conditions, outcome) => setCondition(conditions, { ...outcome, observedGeneration: generation }, now),
    kept,
  );
}
