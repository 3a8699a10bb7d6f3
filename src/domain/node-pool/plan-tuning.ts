import { byteLength } from "../../language/object/byte-length.ts";
import { isObject } from "../../language/object/json.ts";
import { readJson } from "../../language/object/exact-json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type ObjectReference, type PlannedObject, referenceTo } from "../../language/object/plan.ts";
import { embedProfile, plainProfile } from "../hosted/envelope/embedded-profile.ts";
import { tuningKinds } from "../hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, type ManifestProblem, mostBytes, readManifests } from "../hosted/envelope/read-manifests.ts";
import { envelope, manifestsText } from "../hosted/envelope/write-manifests.ts";
import {
  type Content,
  contentOf,
  type HostedProtocol,
  keys,
  marksOf,
  tunedsConfigMap,
  tuningKeys,
} from "../hosted/protocol.ts";
import type { Tuned } from "../node-tuning/api.ts";
import { type PerformanceProfile, performanceProfileKind } from "../performance-profile/api.ts";
import { derivedNames } from "../performance-profile/names.ts";
import type { NodePool } from "./api.ts";
import { nameTaken, poolOf } from "./name-taken.ts";
import type { Given, Tuning } from "./read-tuning.ts";
import { tuningReferences } from "./references.ts";

/** On our ConfigMaps: the ConfigMap of a user that each object came from, as JSON. What cannot be read there now stays. */
export const sourcesAnnotation = "rollout.attune.dev/sources";

export interface TuningPlanInput {
  readonly nodePool: NodePool;
  readonly tuning: Tuning;
  /** ConfigMaps of the control plane namespace: at least those of the NodePool. */
  readonly observed: readonly ConfigMap[];
  /** All of them, by name. Default: those observed. */
  readonly named?: ((name: string) => ConfigMap | undefined) | undefined;
  readonly namespace: string;
  readonly protocol: HostedProtocol;
}

export interface TuningPlan {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  /** Those of the ConfigMaps of users, names that are taken, and ConfigMaps that are too large. */
  readonly problems: readonly ManifestProblem[];
  /** The profile that the NodePool gets; the last good one where the present one is invalid. */
  readonly profile: (Given<PerformanceProfile> & { readonly isLastGood?: boolean }) | undefined;
}

/** The ConfigMaps with which the operator of a hosted cluster is told the tuning of a NodePool. */
export function planTuning(input: TuningPlanInput): TuningPlan {
  const { nodePool, tuning, observed, protocol } = input;
  const { name = "" } = nodePool.metadata;
  const own = observed.filter((one) => poolOf(one) === name && isWritten(contentOf(one), one));
  const last = own.flatMap((configMap) => lastOf(configMap, name, protocol));
  const isLost = losing(tuning, tuningReferences(nodePool));
  const profile = profileOf(tuning, last, isLost);
  const given = [...tuning.tuneds, ...kept(tuning.tuneds, last, isLost)] as Given<Tuned>[];
  const derived = profile && derivedNames(profile.object.metadata.name ?? "").tuned;
  const tuneds = given.filter(({ object }) => object.metadata.name !== derived);
  const wanted = [
    ...(tuneds.length > 0 ? [configMapFor("tuneds", tuneds, tunedsConfigMap(name), input)] : []),
    ...(profile ? [profileConfigMap(profile, input)] : []),
  ];
  const { usable, problems, kept: tooLarge } = writable(wanted, input.named ?? byName(observed), name);
  const names = new Set([
    ...usable.filter(({ isFixed }) => !isFixed).map(({ object }) => object.metadata.name),
    ...tooLarge,
  ]);
  return {
    objects: usable.flatMap(({ object, isFixed }): PlannedObject[] =>
      isFixed ? [] : [{ owns: "whole", object, ownerless: true, because: `NodePool ${name} refers to it` }],
    ),
    prunes: own.filter((one) => !names.has(one.metadata.name) && !isNeeded(one, usable)).map(referenceTo),
    problems: [
      ...tuning.problems,
      ...given.flatMap((one) => (tuneds.includes(one) ? [] : derivedToo(one))),
      ...problems,
    ],
    profile,
  };
}

/** Both would have one name in the hosted cluster. */
function derivedToo({ object, from }: Given<Tuned>): ManifestProblem[] {
  const { kind, metadata } = object;
  const message =
    "the PerformanceProfile of the NodePool makes a Tuned of this name, which is used instead: choose another name";
  return [{ configMap: from, kind, name: metadata.name, message }];
}

/** A profile stays until the next one can be written: without any, nodes would be rolled out twice. */
function isNeeded({ metadata }: ConfigMap, usable: readonly Usable[]): boolean {
  const next = usable.find(({ object }) => contentOf(object) === "profile");
  const waits = next !== undefined && (next.isFixed || next.isDeleted);
  return waits && contentOf({ metadata }) === "profile" && metadata.name !== next.object.metadata.name;
}

/** A ConfigMap that is derived from a profile has the name of that profile, and another owner. */
function isWritten(content: Content | undefined, { metadata: { labels = {} } }: ConfigMap): boolean {
  return content === "profile" || (content === "tuneds" && !Object.hasOwn(labels, keys.performanceProfileName));
}

/** What a ConfigMap that was written before says. Undefined `from`: the ConfigMap does not name it. */
function lastOf(configMap: ConfigMap, nodePool: string, protocol: HostedProtocol): Last[] {
  const sources = sourcesOf(configMap);
  return readManifests(configMap, [protocol.tuningKey, ...tuningKeys], tuningKinds).manifests.map(({ object }) => {
    const plain = plainProfile(object, nodePool);
    return { object: plain, from: sources.get(plain.metadata.name ?? "") };
  });
}

interface Last {
  readonly object: KubeObject;
  readonly from: string | undefined;
}

function sourcesOf({ metadata: { annotations = {} } }: ConfigMap): ReadonlyMap<string, string> {
  const text = Object.hasOwn(annotations, sourcesAnnotation) ? annotations[sourcesAnnotation] : undefined;
  try {
    const value = readJson(text ?? "{}");
    const sources = isObject(value) ? Object.entries(value) : [];
    return new Map(sources.filter((source): source is [string, string] => typeof source[1] === "string"));
  } catch {
    // Another client wrote it: then nothing is known about the sources.
    return new Map();
  }
}

type IsLost = (last: Last) => boolean;

/**
 * Whether an object is missing only because what it came from, or what takes its place, cannot be read. A ConfigMap that is
 * not there may be new, and known a moment later than the NodePool that refers to it instead of another one.
 */
function losing({ problems, isMissingSome }: Tuning, references: readonly string[]): IsLost {
  // A problem without kind or name may concern any object of its ConfigMap.
  const isKnown = ({ kind, name }: ManifestProblem): boolean =>
    name !== undefined && tuningKinds.some((known) => known.kind === kind);
  const unreadable = new Set(problems.filter((one) => !isKnown(one)).map(({ configMap }) => configMap));
  const invalid = new Set(problems.filter(isKnown).map(({ kind, name }) => `${kind} ${name}`));
  return ({ object, from }) =>
    invalid.has(`${object.kind} ${object.metadata.name}`) ||
    (isMissingSome && from !== undefined && !references.includes(from)) ||
    (from === undefined ? unreadable.size > 0 : unreadable.has(from));
}

function kept(given: readonly Given<Tuned>[], last: readonly Last[], isLost: IsLost): Given<KubeObject>[] {
  const names = new Set(given.map(({ object }) => object.metadata.name));
  return last
    .filter(({ object }) => object.kind !== performanceProfileKind.kind && !names.has(object.metadata.name))
    .filter(isLost)
    .map(({ object, from = "" }) => ({ object, from }));
}

/** One valid profile and no doubt about it; or else the one that the nodes have. */
function profileOf({ profiles, problems }: Tuning, last: readonly Last[], isLost: IsLost): TuningPlan["profile"] {
  const [first, ...others] = profiles;
  const isClear = others.length === 0 && !problems.some(({ kind }) => kind === performanceProfileKind.kind);
  const before = last.find(({ object }) => object.kind === performanceProfileKind.kind);
  if (first && isClear) return first;
  const isKept = before && (!isClear || isLost(before));
  return isKept ? { object: before.object, from: before.from ?? "", isLastGood: true } : undefined;
}

function profileConfigMap({ object, from }: Given<PerformanceProfile>, input: TuningPlanInput): ConfigMap {
  const { nodePool, protocol } = input;
  const { name: pool = "" } = nodePool.metadata;
  const { name = "" } = object.metadata;
  const place = { nodePool: pool, profile: name, from };
  const inside = embedProfile(object, place, protocol);
  const written = configMapFor("profile", [{ object: inside, from }], protocol.profileConfigMap(place), input);
  return withSources(written, { [name]: from });
}

function configMapFor(
  content: "tuneds" | "profile",
  given: readonly Given<KubeObject>[],
  name: string,
  { nodePool: { metadata }, namespace, protocol }: TuningPlanInput,
): ConfigMap {
  const { name: pool = "", namespace: poolNamespace = "" } = metadata;
  const marks = marksOf(content, protocol).map((mark) => [mark, "true"]);
  const configMap = envelope({
    name,
    namespace,
    labels: { [keys.nodePool]: pool, ...Object.fromEntries(marks) },
    annotations: { [keys.nodePool]: `${poolNamespace}/${pool}` },
    key: protocol.tuningKey,
    text: manifestsText(given.map(({ object }) => object)),
  });
  return withSources(configMap, Object.fromEntries(given.map(({ object, from }) => [object.metadata.name, from])));
}

/** An API server stores no more than a quarter of a mebibyte of annotations. Others are short. */
const longestSources = 200_000;

function withSources(configMap: ConfigMap, sources: Record<string, string>): ConfigMap {
  const text = JSON.stringify(sources);
  if (byteLength(text) > longestSources) return configMap;
  const annotations = { ...configMap.metadata.annotations, [sourcesAnnotation]: text };
  return { ...configMap, metadata: { ...configMap.metadata, annotations } };
}

/** Keys of others stay, as in HyperShift; those that readers might take for ours do not. */
function beside(object: ConfigMap, there: ConfigMap | undefined): ConfigMap {
  const others = Object.entries(there?.data ?? {}).filter(([key]) => !(tuningKeys as readonly string[]).includes(key));
  return { ...object, data: { ...Object.fromEntries(others), ...object.data } };
}

export function byName(observed: readonly ConfigMap[]): (name: string) => ConfigMap | undefined {
  const found = new Map(observed.map((one) => [one.metadata.name, one]));
  return (name) => found.get(name);
}

interface Usable {
  readonly object: ConfigMap;
  /** It is immutable: it goes first, and is written when it is gone. */
  readonly isFixed: boolean;
  /** It is being deleted, and is written when it is gone. */
  readonly isDeleted: boolean;
}

interface Writable {
  readonly usable: readonly Usable[];
  /** Names of those that stay as they are. */
  readonly kept: readonly string[];
  readonly problems: readonly ManifestProblem[];
}

function writable(
  wanted: readonly ConfigMap[],
  named: (name: string) => ConfigMap | undefined,
  nodePool: string,
): Writable {
  const usable: Usable[] = [];
  const kept: string[] = [];
  const problems: ManifestProblem[] = [];
  for (const object of wanted) {
    const { name = "" } = object.metadata;
    const there = named(name);
    const whole = beside(object, there);
    const taken = usable.some((one) => one.object.metadata.name === name)
      ? "this NodePool needs the name for its Tuneds"
      : nameTaken(there, contentOf(object) ?? "tuneds", nodePool);
    const fault = taken ?? sizeFault(whole);
    const isDeleted = there?.metadata.deletionTimestamp !== undefined;
    if (fault === undefined) usable.push({ object: whole, isFixed: there?.immutable === true, isDeleted });
    else problems.push({ configMap: name, message: `cannot be written to the control plane namespace: ${fault}` });
    if (fault !== undefined && taken === undefined) kept.push(name);
  }
  return { usable, kept, problems };
}

function sizeFault({ data = {} }: ConfigMap): string | undefined {
  const bytes = Object.values(data).reduce((sum, text) => sum + byteLength(text), 0);
  return bytes > mostBytes
    ? `it has ${bytes} bytes, and an API server stores at most ${mostBytes}: shorten the manifests that the NodePool refers to`
    : undefined;
}
