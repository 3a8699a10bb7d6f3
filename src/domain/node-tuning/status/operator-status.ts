import { type Condition, findCondition, setCondition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type AgentDaemonSet, agentDaemonSetName, isProgressing } from "../agent-daemon-set.ts";
import { group, type Profile } from "../api.ts";
import type { PoolArguments } from "../boot/boot-arguments.ts";

export const clusterOperatorName = "node-tuning";

export interface ClusterOperator extends KubeObject {
  status?: {
    conditions?: Condition[];
    versions?: { name: string; version: string }[];
    relatedObjects?: object[];
  };
}

export interface OperatorStatusInput {
  readonly managementState: "Managed" | "Unmanaged" | "Removed";
  readonly daemonSet: AgentDaemonSet | undefined;
  readonly profiles: readonly Profile[];
  readonly pools: readonly PoolArguments[];
  /** Nodes whose first rule names a profile that cannot be used: they keep the profile they have, or get that of another rule. */
  readonly withoutTheirRule: readonly { readonly node: string; readonly because: string }[];
  /** Rules whose labels select several pools. */
  readonly acrossPools: readonly string[];
  readonly release: string;
  readonly namespace: string;
  readonly before: NonNullable<ClusterOperator["status"]>;
  readonly now: string;
}

type NewCondition = Omit<Condition, "lastTransitionTime">;

/** Long enough to pull an image over any network. */
const unavailableTooLongMs = 2 * 60 * 60 * 1000;

/** The operator's own status, computed from objects of the cluster alone: the operator remembers nothing. */
export function operatorStatus(input: OperatorStatusInput): NonNullable<ClusterOperator["status"]> {
  const { managementState, before, now, release, daemonSet } = input;
  const fresh = managementState === "Managed" ? managed(input) : inactive(managementState);
  let conditions: readonly Condition[] = before.conditions ?? [];
  for (const condition of fresh) conditions = setCondition(conditions, condition, now);
  const settled = managementState === "Managed" && daemonSet !== undefined && !isProgressing(daemonSet);
  return {
    conditions: [...conditions],
    versions: versions(before.versions ?? [], release, { settled, available: isAvailable(fresh) }),
    relatedObjects: relatedObjects(input.namespace),
  };
}

/** When a condition changes by time alone. */
export function statusDueAt({ conditions }: NonNullable<ClusterOperator["status"]>): number | undefined {
  const available = findCondition(conditions, "Available");
  if (available?.status !== "False" || findCondition(conditions, "Degraded")?.status === "True") return undefined;
  return Date.parse(available.lastTransitionTime ?? "") + unavailableTooLongMs;
}

function inactive(state: "Unmanaged" | "Removed"): NewCondition[] {
  const message =
    state === "Removed"
      ? "Tuning is removed: managementState is Removed."
      : "Tuning is not updated: managementState is Unmanaged.";
  return [
    { type: "Available", status: "True", reason: state, message },
    { type: "Progressing", status: "False", reason: state, message },
    { type: "Degraded", status: "False", reason: state, message },
  ];
}

function managed(input: OperatorStatusInput): NewCondition[] {
  const { daemonSet, before } = input;
  if (!daemonSet) {
    // The DaemonSet does not exist yet: keep the last conditions, or begin with these.
    if (before.conditions?.length) return [];
    return [
      { type: "Available", status: "False", reason: "TunedUnavailable", message: "There are no agents yet." },
      { type: "Progressing", status: "True", reason: "Reconciling", message: "The agents are being created." },
      { type: "Degraded", status: "False", reason: "Reconciling", message: "" },
    ];
  }
  const available = availability(input, daemonSet);
  return [available, progress(daemonSet), degradation(input, available)];
}

function availability(input: OperatorStatusInput, { status = {} }: AgentDaemonSet): NewCondition {
  const { profiles, release, withoutTheirRule } = input;
  const { numberAvailable = 0, desiredNumberScheduled = 0 } = status;
  const agents = `${numberAvailable} of ${desiredNumberScheduled} agents are available`;
  const base: NewCondition =
    numberAvailable > 0
      ? {
          type: "Available",
          status: "True",
          reason: "AsExpected",
          message: `${agents}${release ? ` (${release})` : ""}.`,
        }
      : { type: "Available", status: "False", reason: "TunedUnavailable", message: `${agents}.` };
  const degraded = profiles.filter((profile) => conditionOf(profile, "Degraded") === "True");
  if (degraded.length > 0)
    return { ...base, reason: "ProfileDegraded", message: counted(degraded, profiles, "are degraded") };
  const pending = profiles.filter((profile) => !isInForce(profile));
  if (pending.length > 0)
    return { ...base, reason: "ProfileProgressing", message: counted(pending, profiles, "are not applied yet") };
  const [first] = withoutTheirRule;
  if (first && base.status === "True") {
    const nodes = `${withoutTheirRule.length}/${profiles.length} nodes cannot use the profile of their first rule`;
    return { ...base, reason: "ProfileDegraded", message: `${nodes}, such as ${first.node}: ${first.because}.` };
  }
  return base;
}

function progress(daemonSet: AgentDaemonSet): NewCondition {
  if (!isProgressing(daemonSet))
    return { type: "Progressing", status: "False", reason: "AsExpected", message: "All agents are up to date." };
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberUnavailable = 0 } = daemonSet.status ?? {};
  const message =
    updatedNumberScheduled < desiredNumberScheduled
      ? `${updatedNumberScheduled} of ${desiredNumberScheduled} agents are up to date.`
      : `${numberUnavailable} of ${desiredNumberScheduled} agents are not available yet.`;
  return { type: "Progressing", status: "True", reason: "Reconciling", message };
}

function degradation({ pools, acrossPools, before, now }: OperatorStatusInput, available: NewCondition): NewCondition {
  const last = findCondition(before.conditions, "Available");
  const since = last?.status === "False" ? Date.parse(last.lastTransitionTime ?? now) : Date.parse(now);
  if (available.status === "False" && Date.parse(now) - since > unavailableTooLongMs)
    return degraded("TunedUnavailable", "No agent has been available for two hours.");
  if (acrossPools.length > 0)
    return degraded("MCLabelsAcrossMCPs", `${acrossPools.join("; ")}: labels must select one pool only.`);
  const impossible = pools.filter(({ outcome }) => outcome.type === "impossible").map(({ pool }) => pool);
  if (impossible.length > 0)
    return degraded(
      "ImpossibleArguments",
      `Nodes of ${impossible.length > 1 ? "the pools" : "the pool"} ${impossible.join(", ")} report boot arguments that their profile cannot yield.`,
    );
  const conflicts = pools.filter(({ outcome }) => outcome.type === "conflict").map(({ pool }) => pool);
  if (conflicts.length > 0)
    return degraded(
      "ProfileConflict",
      `Nodes of ${conflicts.length > 1 ? "the pools" : "the pool"} ${conflicts.join(", ")} want different boot arguments.`,
    );
  return { type: "Degraded", status: "False", reason: "AsExpected", message: "" };
}

function degraded(reason: string, message: string): NewCondition {
  return { type: "Degraded", status: "True", reason, message };
}

/** The node reports the profile that its spec asks for. */
function isInForce(profile: Profile): boolean {
  return (
    conditionOf(profile, "Applied") === "True" && profile.status?.tunedProfile === profile.spec.config.tunedProfile
  );
}

function conditionOf({ status }: Profile, type: string): string | undefined {
  return findCondition(status?.conditions, type)?.status;
}

function counted(some: readonly Profile[], all: readonly Profile[], what: string): string {
  const names = some.slice(0, 3).map(({ metadata }) => metadata.name);
  const more = some.length > 3 ? ` and ${some.length - 3} more` : "";
  return `${some.length}/${all.length} Profiles ${what}: ${names.join(", ")}${more}.`;
}

function isAvailable(conditions: readonly NewCondition[]): boolean {
  return findCondition(conditions, "Available")?.status === "True";
}

function versions(
  before: readonly { name: string; version: string }[],
  release: string,
  { settled, available }: { settled: boolean; available: boolean },
): { name: string; version: string }[] {
  if (release === "") return [...before];
  const next = new Map(before.map(({ name, version }) => [name, version]));
  if (available) next.set("operator", release);
  if (settled) next.set("ocp-tuned", release);
  return Array.from(next, ([name, version]) => ({ name, version }));
}

function relatedObjects(namespace: string): object[] {
  return [
    { group: "", resource: "namespaces", name: namespace },
    { group, resource: "tuneds", name: "", namespace },
    { group, resource: "profiles", name: "", namespace },
    { group: "apps", resource: "daemonsets", name: agentDaemonSetName, namespace },
  ];
}
