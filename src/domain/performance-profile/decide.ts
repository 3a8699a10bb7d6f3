import type { KubeObject } from "../../language/object/meta.ts";
import { type FieldFinding, formatFinding } from "../finding.ts";
import type { KubeletConfig, MachineConfigPool } from "../machine-config/api.ts";
import { labelsText } from "../machine-config/pools.ts";
import type { Profile } from "../node-tuning/api.ts";
import { longestMs } from "../rollout/barrier.ts";
import { asSet, setOf } from "../rollout/derived-set.ts";
import { annotations, type PerformanceProfile } from "./api.ts";
import { derivationIn } from "./derivation.ts";
import { type Derivation, derive } from "./derive.ts";
import { findings } from "./findings.ts";
import { profilesMeet } from "./findings/selectors.ts";
import { derivedAt, derivedAtAnnotation, type Hold, type HoldInput, holdOf } from "./other-operator/hold.ts";
import { derivedNames } from "./names.ts";
import { type Pause, pauses } from "./other-operator/pause.ts";
import { poolFor, selects } from "./pools.ts";
import { withoutPools } from "./without-pools.ts";
import type { ProfileFacts } from "./profile-facts.ts";
import { readFacts } from "./read-facts.ts";
import { degraded, few, nodesDegraded, type ProfileState, progressing, rolloutState } from "./status.ts";
import type { Surroundings } from "./surroundings.ts";

const derivedKinds = ["Tuned", "MachineConfig", "KubeletConfig", "RuntimeClass"] as const;
export type DerivedKind = (typeof derivedKinds)[number];

export interface ProfileInput {
  readonly profile: PerformanceProfile;
  readonly surroundings: Surroundings;
  /** The objects that have the names of derived ones. */
  readonly observed: Readonly<Partial<Record<DerivedKind, KubeObject>>>;
  /** Profiles of node tuning of the nodes that the profile selects. */
  readonly nodeProfiles: readonly Profile[];
  readonly finalizer: string;
  /** Absent: Attune rolls out the pools, and its barrier holds their renderings. */
  readonly hold?: HoldInput | undefined;
  /** Why the profile cannot take effect, whatever it says. What was derived from it before stays. */
  readonly problem?: ProfileState | undefined;
  /** Objects that were derived from the profile when it had another name or place. */
  readonly leftovers?: readonly KubeObject[] | undefined;
  /** Why its RuntimeClass is left to another profile. */
  readonly runtimeClassTaken?: string | undefined;
}

/** What is to be done about a profile: the finalizer first, then pauses, then the objects, then the status. */
export interface ProfileDecision {
  readonly finalizer: "add" | "remove" | "keep";
  readonly objects: readonly KubeObject[];
  readonly prunes: readonly KubeObject[];
  /** Where another operator rolls out pools: what is paused before anything is written. */
  readonly pauses?: readonly Pause[] | undefined;
  /** Absent: the status stays as it is. */
  readonly state?: ProfileState;
  readonly requeueAfterMs?: number | undefined;
}

export function decideProfile(input: ProfileInput): ProfileDecision {
  const { profile, finalizer } = input;
  const has = profile.metadata.finalizers?.includes(finalizer) ?? false;
  if (profile.metadata.deletionTimestamp) return has ? removal(input) : nothing;
  const change = has ? "keep" : "add";
  if (input.problem) return { ...nothing, finalizer: change, state: input.problem };
  const { objects, ...rest } = withoutTaken(derived(input), input.runtimeClassTaken);
  const unchangeable = objects.flatMap((object) => replaced(input, object));
  return {
    finalizer: change,
    // What is replaced is created again when it is gone.
    prunes: [...unchangeable, ...replacedLeftovers(input, objects)],
    objects: objects.filter(({ kind }) => unchangeable.every((one) => one.kind !== kind)),
    ...rest,
  };
}

/** An immutable ConfigMap cannot be changed, and neither can the handler of a RuntimeClass: they are replaced. */
function replaced({ observed }: ProfileInput, { kind, handler }: KubeObject): KubeObject[] {
  const found = observed[kind as DerivedKind];
  return found && (found["handler"] !== handler || found["immutable"] === true) ? [found] : [];
}

/** What has another name now goes when its successor is written, so that nodes change once. */
function replacedLeftovers({ leftovers = [] }: ProfileInput, written: readonly KubeObject[]): KubeObject[] {
  const kinds = new Set(written.map(({ kind }) => kind));
  return leftovers.filter(({ kind }) => kinds.has(configuresNodes(kind) ? kind : "Tuned"));
}

/** The rest of the profile takes effect. */
function withoutTaken(result: Derived, taken: string | undefined): Derived {
  if (taken === undefined) return result;
  const state = result.state?.type === "degraded" ? result.state : degraded("RuntimeClassConflict", taken);
  return { ...result, objects: result.objects.filter(({ kind }) => kind !== "RuntimeClass"), state };
}

const nothing: ProfileDecision = { finalizer: "keep", objects: [], prunes: [] };

/** The profile goes once its objects are gone: their nodes then return to what their pool has without it. */
function removal(input: ProfileInput): ProfileDecision {
  const { profile, observed, leftovers = [] } = input;
  const ours = [...Object.values(observed), ...leftovers].filter((object) => mayBeOurs(object, profile));
  if (ours.length === 0) return { ...nothing, finalizer: "remove" };
  const hold = removalHold(input, ours);
  const prunes = ours.filter(({ kind, metadata }) => !metadata.deletionTimestamp && !(hold && configuresNodes(kind)));
  return { ...nothing, ...paused(input), prunes, ...(hold ? { requeueAfterMs: hold.leftMs } : {}) };
}

type Derived = Pick<ProfileDecision, "objects" | "pauses" | "state" | "requeueAfterMs">;

function derived(input: ProfileInput): Derived {
  const { profile, surroundings, observed } = input;
  const errors = findings(profile, surroundings).filter(
    ({ severity, name }) => severity === "error" || name === profilesMeet.name,
  );
  const read = readFacts(profile);
  if (read.type === "unusable") return { objects: [], state: invalid(errors) };
  const { facts } = read;
  const derivation = derivationIn(surroundings, facts);
  const { pool } = derivation;
  const noPool = surroundings.pools && poolProblem(facts, surroundings.pools);
  if (noPool) return { objects: [], state: noPool };
  const result = derive(derivation);
  if (result.type === "refused") return { objects: [], state: invalid(errors) };
  const { objects, set } = objectsOf(facts, result, surroundings);
  const accepted = isOf(set, observed.Tuned);
  const hold = pool && setHold(input, set, pool);
  const waits = (kind: string): boolean =>
    // Pods cannot use a RuntimeClass before nodes have its runtime.
    hold !== undefined && (configuresNodes(kind) || (kind === "RuntimeClass" && !observed.RuntimeClass));
  const writable = facts.paused ? [] : objects.filter(({ kind }) => !waits(kind));
  // What was derived before the nodes changed stays as it is, and is still repaired. A node that joins has no architecture yet.
  const serious = accepted ? errors.filter(({ name }) => name !== "ArchitectureUnknown") : errors;
  if (serious.length > 0) return { objects: accepted ? writable : [], state: invalid(serious) };
  const foreign = objects.find(({ kind }) => !mayBeOurs(observed[kind as DerivedKind], profile));
  if (foreign) return { objects: [], state: taken(foreign, observed[foreign.kind as DerivedKind]) };
  const written = {
    ...(facts.paused ? {} : paused(input, { set, labels: result.machineConfig.metadata.labels ?? {} })),
    objects: withTime(writable, set, input),
  };
  if (hold) return { ...written, state: nodesDegraded(input) ?? waiting(hold), requeueAfterMs: hold.leftMs };
  const state = facts.paused ? notCreated(objects, observed) : undefined;
  return { ...written, state: state ?? stateOf(input, { objects, pool, set }) };
}

/** `next`: what will be there; none if everything is deleted. */
function paused(
  { hold, profile, observed, surroundings }: ProfileInput,
  next?: { readonly set: string; readonly labels: Readonly<Record<string, string>> },
): Pick<ProfileDecision, "pauses"> {
  if (!hold) return {};
  const { Tuned: tuned, MachineConfig: machineConfig, KubeletConfig: kubeletConfig } = observed;
  const isThere = (object: KubeObject | undefined): boolean => (next ? isOf(next.set, object) : object === undefined);
  const isChanging = ![tuned, machineConfig, kubeletConfig].every(isThere);
  const { name = "" } = profile.metadata;
  const labels = machineConfig?.metadata.labels;
  return { pauses: pauses(surroundings.pools ?? [], { profile: name, next, labels, isChanging }) };
}

function notCreated(objects: readonly KubeObject[], observed: ProfileInput["observed"]): ProfileState | undefined {
  const missing = objects.map(({ kind }) => kind).filter((kind) => !observed[kind as DerivedKind]);
  if (missing.length === 0) return undefined;
  const how = `remove its annotation ${annotations.pause}`;
  return progressing("Paused", `the profile is paused, and nothing is created (${missing.join(", ")}): ${how}`);
}

/** They reach nodes through their pool, and restart them. */
function configuresNodes(kind: string): boolean {
  return kind === "MachineConfig" || kind === "KubeletConfig";
}

/** Where another operator rolls out pools: first the Tuned, then the rest once its boot arguments are known. */
function setHold({ hold, observed }: ProfileInput, set: string, pool: MachineConfigPool): Hold | undefined {
  const { Tuned: tuned, MachineConfig: machineConfig, KubeletConfig: kubeletConfig } = observed;
  if (!hold || [tuned, machineConfig, kubeletConfig].every((object) => isOf(set, object))) return undefined;
  if (!tuned || !isOf(set, tuned)) return { missing: { waitsFor: "the Tuned of the profile" }, leftMs: longestMs };
  const { firstNode } = hold;
  if (firstNode && !firstNode.joined) return { missing: { waitsFor: "the first node" }, leftMs: longestMs };
  const written = derivedAt(set, tuned, hold.now);
  const since = firstNode?.joined && firstNode.joined > written ? firstNode.joined : written;
  return holdOf(hold, { pool, tuned, name: tuned.metadata.name ?? "", since });
}

function removalHold({ hold, profile, surroundings }: ProfileInput, ours: readonly KubeObject[]): Hold | undefined {
  const found = poolFor(profile.spec?.nodeSelector ?? {}, surroundings.pools ?? []);
  if (!hold || found.type !== "pool") return undefined;
  if (ours.some(({ kind }) => kind === "Tuned"))
    return { missing: { waitsFor: "the Tuned of the profile" }, leftMs: longestMs };
  const { name = "", deletionTimestamp: since = "" } = profile.metadata;
  return holdOf(hold, { pool: found.pool, name: derivedNames(name).tuned, since });
}

function waiting({ missing: { waitsFor, nodes = [] } }: Hold): ProfileState {
  const names = nodes.length > 0 ? `: ${few(nodes)}` : "";
  return progressing(
    "WaitingForBootArguments",
    `MachineConfig and KubeletConfig wait for ${waitsFor}${names}, at most five minutes, so that nodes restart once`,
  );
}

function withTime(
  objects: readonly KubeObject[],
  set: string,
  { hold, observed }: ProfileInput,
): readonly KubeObject[] {
  if (!hold) return objects;
  return objects.map((object) => {
    if (object.kind !== "Tuned") return object;
    const annotations = {
      ...object.metadata.annotations,
      [derivedAtAnnotation]: derivedAt(set, observed.Tuned, hold.now),
    };
    return { ...object, metadata: { ...object.metadata, annotations } };
  });
}

/** Only a Tuned reaches the nodes of a cluster without pools: the runtime that the RuntimeClass names is set up by the MachineConfig. */
function objectsOf(
  facts: ProfileFacts,
  { tuned, machineConfig, kubeletConfig, runtimeClass }: Derivation & { type: "derived" },
  { pools }: Surroundings,
): { readonly objects: readonly KubeObject[]; readonly set: string } {
  const marked = asSet(facts.name, pools ? { tuned, machineConfig, kubeletConfig } : { tuned });
  const objects: KubeObject[] = Object.values(marked);
  return { objects: pools ? [...objects, runtimeClass] : objects, set: setOf(marked.tuned) ?? "" };
}

function stateOf(
  { observed, nodeProfiles, hold, surroundings }: ProfileInput,
  { objects, pool, set }: { objects: readonly KubeObject[]; pool: MachineConfigPool | undefined; set: string },
): ProfileState {
  const missing = objects.filter(({ kind }) => !observed[kind as DerivedKind]).map(({ kind }) => kind);
  if (missing.length > 0) return progressing("DeploymentStarting", `creating ${missing.join(", ")}`);
  const kubeletConfig: KubeletConfig | undefined = observed.KubeletConfig;
  const state = rolloutState({ pool, set, isOurs: !hold, kubeletConfig, nodeProfiles });
  return state.type === "available" && !surroundings.pools ? { ...state, message: withoutPools } : state;
}

function isOf(set: string, object: KubeObject | undefined): boolean {
  return object !== undefined && setOf(object) === set;
}

/** An object without a controller is adopted: manifests of an installation have none. */
function mayBeOurs(object: KubeObject | undefined, { metadata }: PerformanceProfile): boolean {
  const controller = object?.metadata.ownerReferences?.find((owner) => owner.controller);
  return controller === undefined || controller.uid === metadata.uid;
}

function taken({ kind, metadata }: KubeObject, found: KubeObject | undefined): ProfileState {
  const owner = found?.metadata.ownerReferences?.find(({ controller }) => controller);
  return degraded(
    "ComponentCreationFailed",
    `${kind} ${metadata.name} belongs to ${owner?.kind} ${owner?.name}: delete it, or rename the profile`,
  );
}

const mostMessages = 5;

function invalid(errors: readonly FieldFinding[]): ProfileState {
  const texts = errors.slice(0, mostMessages).map(formatFinding);
  const more = errors.length > mostMessages ? [`and ${errors.length - mostMessages} more`] : [];
  const reason = errors.some(({ name }) => name === "OvsDpdkUnprotected")
    ? "OvsDpdkCPUsPrerequisiteNotMet"
    : "ComponentCreationFailed";
  return degraded(reason, [...texts, ...more].join("; "));
}

/** A profile is for exactly one pool, which must select its MachineConfig. */
function poolProblem(facts: ProfileFacts, pools: readonly MachineConfigPool[]): ProfileState | undefined {
  const found = poolFor(facts.nodeSelector, pools);
  if (found.type === "none")
    return degraded(
      "GettingMachineConfigPoolFailed",
      `no MachineConfigPool selects nodes with the labels of nodeSelector (${labelsText(facts.nodeSelector)}): create one, or change nodeSelector`,
    );
  if (found.type === "several")
    return degraded(
      "GettingMachineConfigPoolFailed",
      `several MachineConfigPools select nodes with the labels of nodeSelector: ${found.names.join(", ")}; a profile is for one pool`,
    );
  if (selects(found.pool.spec?.machineConfigSelector, facts.machineConfigLabels)) return undefined;
  const given = Object.entries(facts.machineConfigLabels).map(([name, value]) => `${name}=${value}`);
  return degraded(
    "BadMachineConfigLabels",
    `MachineConfigPool ${found.pool.metadata.name} does not select a MachineConfig labelled ${given.join(",")}: set machineConfigLabel to what its machineConfigSelector asks for`,
  );
}
