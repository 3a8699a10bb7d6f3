import { type Condition, findCondition, isTrue, setCondition } from "../../language/object/condition.ts";
import type { PlannedEvent } from "../../language/object/plan.ts";
import type { KubeletConfig, MachineConfigPool } from "../machine-config/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type Profile, tuningNamespace } from "../node-tuning/api.ts";
import { profileOfSet, releasedSetsAnnotation } from "../rollout/derived-set.ts";
import { describeHeld, heldOf } from "../rollout/held.ts";
import type { PerformanceProfile } from "./api.ts";
import { derivedNames } from "./names.ts";
import { pausedFor } from "./other-operator/pause.ts";

/** How far a profile has come. The reasons are those of the operator that Attune replaces, where it has one. */
export type ProfileState =
  /** With a message: nodes have what this cluster can give them, which is not all that the profile asks for. */
  | { readonly type: "available"; readonly message?: string | undefined }
  | { readonly type: "progressing"; readonly reason: string; readonly message: string }
  | { readonly type: "degraded"; readonly reason: string; readonly message: string };

export type ProfileStatus = NonNullable<PerformanceProfile["status"]>;

export function degraded(reason: string, message: string): ProfileState {
  return { type: "degraded", reason, message };
}

export function progressing(reason: string, message: string): ProfileState {
  return { type: "progressing", reason, message };
}

/** Another client changes an object as often as the operator repairs it. */
export function conflict({ kind, metadata }: KubeObject, us: string): ProfileState {
  const others = (metadata.managedFields ?? []).filter(({ manager, subresource }) => manager !== us && !subresource);
  const [last] = others.toSorted((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1));
  return degraded(
    "ConflictingWriter",
    `${kind} ${metadata.name} is changed again and again${last?.manager ? ` by ${last.manager}` : ""}: it is repaired once a minute; stop the other client, or pause the profile`,
  );
}

/** Always four conditions, in this order. */
const types = ["Available", "Upgradeable", "Progressing", "Degraded"] as const;

export function profileStatus(profile: PerformanceProfile, state: ProfileState, now: string): ProfileStatus {
  const { metadata, status: before } = profile;
  const { name = "", generation } = metadata;
  const old = before?.conditions ?? [];
  const conditions = stateConditions(state, old, now);
  const { tuned, runtimeClass } = derivedNames(name);
  return {
    conditions: [...conditions, ...old.filter(({ type }) => !types.some((one) => one === type))],
    tuned: `${tuningNamespace}/${tuned}`,
    runtimeClass,
    // OpenShift's CRD lacks the field and drops it: then it is not written again.
    ...(before?.conditions && before.observedGeneration === undefined ? {} : { observedGeneration: generation }),
  };
}

export function stateConditions(state: ProfileState, old: readonly Condition[], now: string): Condition[] {
  return types.map((type) => conditionOf(type, state, old, now));
}

function conditionOf(
  type: (typeof types)[number],
  state: ProfileState,
  old: readonly Condition[],
  now: string,
): Condition {
  const isIt = type.toLowerCase() === state.type;
  const status = isIt || (type === "Upgradeable" && state.type === "available") ? "True" : "False";
  const known = old.filter((condition) => condition.type === type);
  const { reason, message } =
    state.type === "available" ? { reason: "AsExpected", message: state.message ?? "" } : state;
  const text = isIt ? { reason, message } : { reason: "AsExpected", message: "" };
  const [condition] = setCondition(known, { type, status, ...text }, now);
  return condition as Condition;
}

/** One event for each change of state: a retry is no news. */
export function stateEvents({ status }: PerformanceProfile, state: ProfileState): Omit<PlannedEvent, "regarding">[] {
  const old = status?.conditions?.find(({ type }) => type.toLowerCase() === state.type);
  const { reason, message } =
    state.type === "available" ? { reason: "Available", message: "all nodes are tuned" } : state;
  if (old?.status === "True" && (state.type === "available" || old.reason === reason)) return [];
  return [{ type: state.type === "degraded" ? "Warning" : "Normal", reason, message }];
}

export interface RolloutInput {
  readonly pool?: MachineConfigPool | undefined;
  /** The set of the derived objects. */
  readonly set?: string | undefined;
  /** Whether Attune rolls out the pool. */
  readonly isOurs: boolean;
  readonly kubeletConfig?: KubeletConfig | undefined;
  /** Profiles of node tuning of the nodes that the profile selects. */
  readonly nodeProfiles: readonly Profile[];
}

/** What pool, kubelets and nodes report about a profile whose objects exist. The first problem counts. */
export function rolloutState(input: RolloutInput): ProfileState {
  return (
    kubeletFailure(input) ??
    poolDegraded(input) ??
    nodesDegraded(input) ??
    poolUpdating(input) ??
    nodesBehind(input) ?? { type: "available" }
  );
}

/** Of the conditions of a KubeletConfig the newest counts. */
function kubeletFailure({ kubeletConfig }: RolloutInput): ProfileState | undefined {
  const conditions = kubeletConfig?.status?.conditions ?? [];
  const [newest] = conditions.toSorted((a, b) =>
    (a.lastTransitionTime ?? "") < (b.lastTransitionTime ?? "") ? 1 : -1,
  );
  if (newest?.type !== "Failure") return undefined;
  return degraded("KubeletConfigFailure", `KubeletConfig ${kubeletConfig?.metadata.name}: ${newest.message}`);
}

function poolDegraded({ pool }: RolloutInput): ProfileState | undefined {
  const found = ["NodeDegraded", "RenderDegraded"].flatMap((type) => {
    const condition = findCondition(pool?.status?.conditions, type);
    return condition?.status === "True" && (condition.reason || condition.message) ? [condition] : [];
  });
  if (found.length === 0) return undefined;
  const lines = found.map(({ type, reason, message }) => [type, reason, message].filter(Boolean).join(": "));
  return degraded("MCPDegraded", `MachineConfigPool ${pool?.metadata.name}: ${lines.join("; ")}`);
}

export function nodesDegraded({ nodeProfiles }: Pick<RolloutInput, "nodeProfiles">): ProfileState | undefined {
  const found = nodeProfiles.filter(
    ({ status }) =>
      isTrue(status?.conditions, "Degraded") && findCondition(status?.conditions, "Applied")?.status === "False",
  );
  const lines = found.map(
    ({ metadata, status }) => `node ${metadata.name}: ${findCondition(status?.conditions, "Degraded")?.message}`,
  );
  return found.length === 0 ? undefined : degraded("TunedProfileDegraded", few(lines));
}

/** From the moment that objects are written until every node of the pool has them. */
function poolUpdating({ pool, set = "", isOurs, kubeletConfig }: RolloutInput): ProfileState | undefined {
  if (!pool) return undefined;
  const { metadata, spec, status } = pool;
  const about = `MachineConfigPool ${metadata.name}`;
  const held = heldOf(pool);
  if (held && !held.released) return progressing("WaitingForBootArguments", `${about}: ${describeHeld(held)}`);
  const sets = metadata.annotations?.[releasedSetsAnnotation]?.split(",") ?? [];
  const sources = spec?.configuration?.source?.map(({ name }) => name);
  const { machineConfig } = derivedNames(profileOfSet(set));
  // The machine config operator does not say which version of a MachineConfig its rendering has.
  if (isOurs ? !sets.includes(set) : !sources?.includes(machineConfig))
    return progressing("MCPUpdating", `${about} has not rendered the objects of the profile yet`);
  if (kubeletConfig && !isSeen(kubeletConfig))
    return progressing("MCPUpdating", `${about} has not rendered KubeletConfig ${kubeletConfig.metadata.name} yet`);
  if (status?.configuration?.name === spec?.configuration?.name && !isTrue(status?.conditions, "Updating"))
    return undefined;
  if (spec?.paused && pausedFor(pool) !== undefined)
    return progressing(
      "MCPUpdating",
      `${about} is paused until it has all objects of the profile, so that nodes restart once`,
    );
  if (spec?.paused) return progressing("MCPPaused", `${about} is paused: its nodes change when it no longer is`);
  return progressing("MCPUpdating", `${about}: ${howFar(pool)}`);
}

/** The counts of a status that is older than the target are those of the config before. */
function howFar({ metadata: { generation }, status = {} }: MachineConfigPool): string {
  const { observedGeneration = generation, updatedMachineCount: updated = 0, machineCount: all = 0 } = status;
  if (observedGeneration !== generation) return "its nodes are about to be told";
  const { readyMachineCount: ready = 0 } = status;
  return updated < all
    ? `${updated} of ${all} nodes are updated`
    : `all nodes are updated, ${ready} of ${all} are ready`;
}

/** A KubeletConfig without the field is that of an older machine config operator. */
function isSeen({ metadata: { generation }, status }: KubeletConfig): boolean {
  return status === undefined ? false : (status.observedGeneration ?? generation) === generation;
}

function nodesBehind({ nodeProfiles }: RolloutInput): ProfileState | undefined {
  const behind = nodeProfiles.filter(
    ({ metadata, status }) =>
      (status?.observedGeneration ?? metadata.generation) !== metadata.generation ||
      !isTrue(status?.conditions, "Applied"),
  );
  if (behind.length === 0) return undefined;
  return progressing(
    "NodesBeingTuned",
    `waiting for ${few(behind.map(({ metadata }) => `node ${metadata.name}`))} to apply the profile`,
  );
}

/** At most three, and how many more. */
export function few(texts: readonly string[]): string {
  const shown = texts.toSorted().slice(0, 3).join("; ");
  return texts.length > 3 ? `${shown}; and ${texts.length - 3} more` : shown;
}
