import type { KubeObject } from "../../language/object/meta.ts";
import { type FieldFinding, formatFinding } from "../finding.ts";
import type { KubeletConfig, MachineConfigPool } from "../machine-config/api.ts";
import type { Profile } from "../node-tuning/api.ts";
import { asSet, setOf } from "../rollout/derived-set.ts";
import type { PerformanceProfile } from "./api.ts";
import { derivationIn } from "./derivation.ts";
import { type Derivation, derive } from "./derive.ts";
import { findings } from "./findings.ts";
import { poolFor, selects } from "./pools.ts";
import type { ProfileFacts } from "./profile-facts.ts";
import { readFacts } from "./read-facts.ts";
import { degraded, type ProfileState, progressing, rolloutState } from "./status.ts";
import type { Surroundings } from "./surroundings.ts";

export const derivedKinds = ["Tuned", "MachineConfig", "KubeletConfig", "RuntimeClass"] as const;
export type DerivedKind = (typeof derivedKinds)[number];

export interface ProfileInput {
  readonly profile: PerformanceProfile;
  readonly surroundings: Surroundings;
  /** The objects that have the names of derived ones. */
  readonly observed: Readonly<Partial<Record<DerivedKind, KubeObject>>>;
  /** Profiles of node tuning of the nodes that the profile selects. */
  readonly nodeProfiles: readonly Profile[];
  readonly finalizer: string;
}

/** What is to be done about a profile: the finalizer first, then the objects, then the status. */
export interface ProfileDecision {
  readonly finalizer: "add" | "remove" | "keep";
  readonly objects: readonly KubeObject[];
  readonly prunes: readonly KubeObject[];
  /** Absent: the status stays as it is. */
  readonly state?: ProfileState;
}

export function decideProfile(input: ProfileInput): ProfileDecision {
  const { profile, finalizer } = input;
  const has = profile.metadata.finalizers?.includes(finalizer) ?? false;
  if (profile.metadata.deletionTimestamp) return has ? removal(input) : nothing;
  const { objects, state } = derived(input);
  return {
    finalizer: has ? "keep" : "add",
    objects,
    prunes: [],
    state,
  };
}

const nothing: ProfileDecision = { finalizer: "keep", objects: [], prunes: [] };

/** The profile goes once its objects are gone: their nodes then return to what their pool has without it. */
function removal({ profile, observed }: ProfileInput): ProfileDecision {
  const ours = Object.values(observed).filter((object) => mayBeOurs(object, profile));
  if (ours.length > 0) return { ...nothing, prunes: ours.filter(({ metadata }) => !metadata.deletionTimestamp) };
  return { ...nothing, finalizer: "remove" };
}

interface Derived {
  readonly objects: readonly KubeObject[];
  readonly state: ProfileState;
}

function derived(input: ProfileInput): Derived {
  const { profile, surroundings, observed } = input;
  const errors = findings(profile, surroundings).filter(({ severity }) => severity === "error");
  const read = readFacts(profile);
  if (read.type === "unusable") return { objects: [], state: invalid(errors) };
  const { facts } = read;
  const derivation = derivationIn(surroundings, facts);
  const noPool = surroundings.pools && poolProblem(facts, surroundings.pools);
  if (noPool) return { objects: [], state: noPool };
  const result = derive(derivation);
  if (result.type === "refused") return { objects: [], state: invalid(errors) };
  const objects = objectsOf(facts, result, surroundings);
  const accepted = objects.some((object) => object.kind === "Tuned" && isSame(setOf(object), observed.Tuned));
  // What was derived before the nodes changed stays as it is, and is still repaired. A node that joins has no architecture yet.
  const serious = accepted ? errors.filter(({ name }) => name !== "ArchitectureUnknown") : errors;
  if (serious.length > 0) return { objects: accepted && !facts.paused ? objects : [], state: invalid(serious) };
  const foreign = objects.find(({ kind }) => !mayBeOurs(observed[kind as DerivedKind], profile));
  if (foreign) return { objects: [], state: taken(foreign, observed[foreign.kind as DerivedKind]) };
  return { objects: facts.paused ? [] : objects, state: stateOf(input, objects, derivation.pool) };
}

/** Only a Tuned reaches the nodes of a cluster without pools: the runtime that the RuntimeClass names is set up by the MachineConfig. */
function objectsOf(
  facts: ProfileFacts,
  { tuned, machineConfig, kubeletConfig, runtimeClass }: Derivation & { type: "derived" },
  { pools }: Surroundings,
): KubeObject[] {
  if (!pools) return Object.values(asSet(facts.name, { tuned }));
  const set = asSet(facts.name, { tuned, machineConfig, kubeletConfig });
  return [...Object.values(set), runtimeClass];
}

function stateOf(
  { observed, nodeProfiles }: ProfileInput,
  objects: readonly KubeObject[],
  pool: MachineConfigPool | undefined,
): ProfileState {
  const missing = objects.filter(({ kind }) => !observed[kind as DerivedKind]).map(({ kind }) => kind);
  if (missing.length > 0) return progressing("DeploymentStarting", `creating ${missing.join(", ")}`);
  const kubeletConfig: KubeletConfig | undefined = observed.KubeletConfig;
  return rolloutState({ pool, kubeletConfig, nodeProfiles });
}

function isSame(set: string | undefined, observed: KubeObject | undefined): boolean {
  return observed !== undefined && setOf(observed) === set;
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
      "no MachineConfigPool selects nodes with the labels of nodeSelector",
    );
  if (found.type === "several")
    return degraded(
      "GettingMachineConfigPoolFailed",
      `several MachineConfigPools select nodes with the labels of nodeSelector: ${found.names.join(", ")}`,
    );
  if (selects(found.pool.spec?.machineConfigSelector, facts.machineConfigLabels)) return undefined;
  const given = Object.entries(facts.machineConfigLabels).map(([name, value]) => `${name}=${value}`);
  return degraded(
    "BadMachineConfigLabels",
    `MachineConfigPool ${found.pool.metadata.name} does not select a MachineConfig labelled ${given.join(",")}: set machineConfigLabel to what its machineConfigSelector asks for`,
  );
}
