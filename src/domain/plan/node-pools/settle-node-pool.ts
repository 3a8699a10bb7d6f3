import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import { bootConfigMaps } from "../../hosted/boot-arguments.ts";
import { configKinds } from "../../hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "../../hosted/envelope/read-manifests.ts";
import { isReport } from "../../hosted/handover/pool-report.ts";
import { readTuneds } from "../../hosted/mirror/read-tuneds.ts";
import { poolScopes } from "../../hosted/pool-rules.ts";
import { type ChildKind, derivedConfigMap, leftovers } from "../../hosted/profiles/children.ts";
import { poolFor } from "../../hosted/profiles/pool-terms.ts";
import {
  type EnvelopedProfile,
  envelopedProfile,
  finalizer,
  isProfileConfigMap,
  readEnvelope,
} from "../../hosted/profiles/read-envelope.ts";
import { bootArgumentsConfigMap, configKey, keys, nodePoolOf } from "../../hosted/protocol.ts";
import type { MachineConfig } from "../../machine-config/api.ts";
import type { NodePool } from "../../node-pool/api.ts";
import { decideNodePool, type NodePoolDecision, type NodePoolInput } from "../../node-pool/decide-node-pool.ts";
import { type Tuned, tuningNamespace } from "../../node-tuning/api.ts";
import type { NodeTuningInput } from "../../node-tuning/decide.ts";
import { defaultTuned } from "../../node-tuning/default-tuned.ts";
import type { NodeFacts } from "../../node-tuning/node-profile.ts";
import { runtimeClassKind } from "../../performance-profile/api.ts";
import { decideProfile } from "../../performance-profile/decide.ts";
import { surroundingsOf } from "../../performance-profile/surroundings.ts";
import { argumentsOf, plannedArguments } from "./planned-arguments.ts";
import { type Resolve, settle, type Settled } from "../settle.ts";

export interface SettleInput extends Omit<NodePoolInput, "named" | "secrets" | "machines" | "provider" | "newToken"> {
  /** Of the operator. */
  readonly version: string;
  readonly resolve: Resolve;
}

/** A NodePool once both operators have nothing left to do, as far as that is known without its nodes. */
export interface SettledNodePool {
  readonly decision: NodePoolDecision;
  /** ConfigMaps of the control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  readonly tuning: HostedTuneds;
  /** Why the operator of the hosted cluster does not take the profile. */
  readonly refused: readonly string[];
}

/** The Tuneds of a NodePool in its hosted cluster, and what they come to on one of its nodes. */
export interface HostedTuneds {
  readonly tuneds: readonly Tuned[];
  readonly settled: Settled;
}

/**
 * Makes the decision of the management side twice, as its operator does: the operator of the hosted cluster derives objects from
 * the first, and the second brings these to the nodes.
 */
export function settleNodePool(input: SettleInput): SettledNodePool {
  const { name = "" } = input.nodePool.metadata;
  // It speaks of what the nodes have now.
  const known = input.controlPlane.filter((one) => !(isReport(one) && nodePoolOf(one) === name));
  const given = carry(decide(input, known), known);
  const profiles = withDerived(given, known, input);
  const tuning = hostedTuneds(input, profiles.controlPlane);
  const derived = withBootArguments(profiles.controlPlane, tuning, input);
  const decision = decide(input, derived);
  return { decision, controlPlane: carry(decision, derived), tuning, refused: profiles.refused };
}

/** What the operator of the hosted cluster writes when nodes have reported their boot arguments. */
function withBootArguments(
  controlPlane: readonly ConfigMap[],
  { settled: { agreed, boot } }: HostedTuneds,
  input: SettleInput,
): readonly ConfigMap[] {
  const { nodePool, namespace, version, protocol } = input;
  const { name = "" } = nodePool.metadata;
  const before = hostedTuneds(input, input.controlPlane).settled.agreed;
  const now = reportedArguments(controlPlane, name);
  const planned = plannedArguments(now, argumentsOf(before, name), argumentsOf(agreed, name));
  if (!planned) return controlPlane;
  const { wanted, orphaned } = bootConfigMaps({
    pools: agreed.map((pool) => ({ ...pool, outcome: { type: "agreed", arguments: planned } })),
    wanted: new Set([...boot.poolsOf.values()].flat()),
    observed: controlPlane.filter((one) => nodePoolOf(one) === name),
    namespace,
    version,
    protocol,
  });
  return replaced(controlPlane, wanted, orphaned);
}

function reportedArguments(controlPlane: readonly ConfigMap[], nodePool: string): readonly string[] {
  const found = controlPlane.find(({ metadata }) => metadata.name === bootArgumentsConfigMap(nodePool));
  const manifests = found ? readManifests(found, [configKey], configKinds).manifests : [];
  return manifests.flatMap(({ object }) => (object as MachineConfig).spec?.kernelArguments ?? []);
}

/** No machines and Secrets: they follow from the configuration. */
function decide(input: SettleInput, controlPlane: readonly ConfigMap[]): NodePoolDecision {
  const named = new Map(controlPlane.map((one) => [one.metadata.name, one]));
  return decideNodePool({
    ...input,
    controlPlane: controlPlane.filter((one) => nodePoolOf(one) === input.nodePool.metadata.name),
    named: (name) => named.get(name),
    secrets: [],
    machines: [],
    newToken: () => "",
  });
}

function carry({ objects, prunes }: NodePoolDecision, controlPlane: readonly ConfigMap[]): readonly ConfigMap[] {
  const written = objects.flatMap(({ object }) => (object.kind === "ConfigMap" ? [object as ConfigMap] : []));
  return replaced(
    controlPlane,
    written,
    prunes.filter(({ kind }) => kind === "ConfigMap"),
  );
}

type Named = Pick<KubeObject, "metadata">;

/** Those that are written anew get an identity, by which others are their parts. */
function replaced(all: readonly ConfigMap[], written: readonly ConfigMap[], gone: readonly Named[]): ConfigMap[] {
  const byName = new Map(all.map((one) => [one.metadata.name ?? "", one]));
  for (const { metadata } of gone) byName.delete(metadata.name ?? "");
  for (const one of written) {
    const { name = "" } = one.metadata;
    const { uid = `planned-${name}`, creationTimestamp } = byName.get(name)?.metadata ?? {};
    byName.set(name, { ...one, metadata: { ...one.metadata, uid, creationTimestamp } });
  }
  return [...byName.values()];
}

/** What the operator of the hosted cluster derives from the profile. What does not change stays as that operator wrote it. */
function withDerived(
  given: readonly ConfigMap[],
  known: readonly ConfigMap[],
  input: SettleInput,
): { readonly controlPlane: readonly ConfigMap[]; readonly refused: readonly string[] } {
  const { nodePool, protocol } = input;
  const isProfile = (one: ConfigMap): boolean => isProfileConfigMap(one) && nodePoolOf(one) === nodePool.metadata.name;
  const before = new Map(known.filter(isProfile).map((one) => [one.metadata.uid, one]));
  const profiles = given.filter(isProfile);
  const left = new Set([...before.keys()].filter((uid) => profiles.every(({ metadata }) => metadata.uid !== uid)));
  const owners = ({ metadata: { ownerReferences = [] } }: ConfigMap): (string | undefined)[] =>
    ownerReferences.map(({ uid }) => uid);
  let controlPlane = given.filter((one) => !owners(one).some((uid) => left.has(uid)));
  const refused: string[] = [];
  for (const configMap of profiles) {
    const was = before.get(configMap.metadata.uid);
    if (equal(was?.data, configMap.data) && controlPlane.some((one) => owners(one).includes(was?.metadata.uid)))
      continue;
    const profile = envelopedProfile(configMap, readEnvelope(configMap), () => undefined);
    const { objects, prunes, state } = decideProfile({
      profile,
      surroundings: surroundingsIn(profile, nodePool),
      observed: {},
      nodeProfiles: [],
      finalizer,
      leftovers: leftovers(profile, controlPlane, protocol),
    });
    if (state?.type === "degraded") refused.push(state.message);
    const derived = objects
      .filter(({ kind }) => kind !== runtimeClassKind.kind)
      .map((object) => derivedConfigMap(profile, object as KubeObject & { kind: ChildKind }, protocol));
    controlPlane = replaced(
      controlPlane,
      derived,
      prunes.map((one) => (one["configMap"] as Named | undefined) ?? one),
    );
  }
  return { controlPlane, refused };
}

function surroundingsIn(profile: EnvelopedProfile, nodePool: NodePool): ReturnType<typeof surroundingsOf> {
  const labels = { [keys.nodePool]: nodePool.metadata.name ?? "" };
  const objects = { nodes: [nodeOf(nodePool)], performanceProfiles: [] };
  const found = surroundingsOf({ ...profile, spec: { nodeSelector: labels } }, objects);
  return { ...found, pools: [poolFor(profile, undefined)] };
}

/** What is known of every node of a NodePool. */
function nodeOf({ metadata, spec }: NodePool): NodeFacts {
  const { name = "" } = metadata;
  const { arch = "amd64" } = (spec ?? {}) as { arch?: string };
  const labels = { ...spec?.nodeLabels, "kubernetes.io/os": "linux", [keys.nodePool]: name };
  const status = { nodeInfo: { architecture: arch } } as NodeFacts["status"];
  return { apiVersion: "v1", kind: "Node", metadata: { name: `of ${name}`, labels }, ...(status ? { status } : {}) };
}

/** The Tuneds that ConfigMaps of the control plane namespace give the nodes of a NodePool. */
export function hostedTuneds(
  { nodePool, protocol, version, now, resolve }: SettleInput,
  controlPlane: readonly ConfigMap[],
): HostedTuneds {
  const { name = "" } = nodePool.metadata;
  const own = controlPlane.filter((one) => nodePoolOf(one) === name);
  const tuneds = Array.from(readTuneds(own, tuningNamespace).mirrored.values(), ({ tuned }) => tuned);
  const all = [defaultTuned(tuningNamespace), ...tuneds];
  const nodes = [nodeOf(nodePool)];
  const input: NodeTuningInput = {
    tuneds: all,
    nodes,
    profiles: [],
    mirrored: { scopes: poolScopes(all, nodes), writes: { objects: [], prunes: [] } },
    status: { type: "ConfigMap", observed: undefined },
    agent: { namespace: tuningNamespace, image: "", serviceAccount: "", release: "" },
    protocol: protocol.name,
    namespace: tuningNamespace,
    version,
    now: formatTime(now),
  };
  return { tuneds, settled: settle(input, resolve) };
}
