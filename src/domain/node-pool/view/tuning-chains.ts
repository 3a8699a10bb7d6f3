import { equal } from "../../../language/object/json.ts";
import { keyOf } from "../../../language/object/meta.ts";
import { readStatus } from "../../hosted/envelope/profile-status.ts";
import { type ConfigMap, formatProblem } from "../../hosted/envelope/read-manifests.ts";
import { type Mirrored, readTuneds } from "../../hosted/mirror/read-tuneds.ts";
import { hostedTunedName } from "../../hosted/names.ts";
import { contentOf, keys, nodePoolOf } from "../../hosted/protocol.ts";
import { type Tuned, tuningNamespace } from "../../node-tuning/api.ts";
import { type PerformanceProfile, performanceProfileKind } from "../../performance-profile/api.ts";
import { printable } from "../../rollout/node-annotations.ts";
import type { NodePool } from "../api.ts";
import { type Given, readTuning } from "../read-tuning.ts";
import { reportedProblems } from "../reported.ts";

/** `edited`: the hosted cluster has another text, which is about to be set back. `not seen`: this user does not see that side. */
export type ChainState = "in sync" | "on the way" | "edited" | "not valid" | "not seen";

/** What became of one object that a user put into a ConfigMap of the management cluster. */
export interface TuningChain {
  /** `namespace/name` of the NodePool that refers to it. */
  readonly nodePool: string;
  readonly configMap: string;
  /** Of the manifest. Empty: it cannot be read so far. */
  readonly kind: string;
  readonly name: string;
  /** ConfigMaps of the control plane namespace. */
  readonly way: readonly string[];
  /** `Tuned web-29d8eb2e` in the hosted cluster. */
  readonly objects: readonly string[];
  readonly state: ChainState;
  /** Empty: in sync. */
  readonly because: string;
}

export interface ChainsInput {
  readonly nodePool: NodePool;
  /** Of the NodePool's namespace. */
  readonly configMap: (name: string) => ConfigMap | undefined;
  /** Of its control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  /** Of the hosted cluster. Undefined: it is not seen. */
  readonly hosted: readonly Tuned[] | undefined;
}

const longestText = 500;

/** Read by the functions of both operators: what they take is in sync, and what they refuse is not valid, in their words. */
export function tuningChains({ nodePool, configMap, controlPlane, hosted }: ChainsInput): TuningChain[] {
  const { name = "", namespace = "" } = nodePool.metadata;
  const own = controlPlane.filter((one) => nodePoolOf(one) === name);
  const { tuneds, profiles, problems } = readTuning(nodePool, configMap);
  const sides = { pool: name, own, mirrored: readTuneds(own, tuningNamespace).mirrored, hosted };
  const invalid = [...problems, ...reportedProblems(name, tuneds, own)];
  const chain = (from: string, of: Pick<TuningChain, "kind" | "name">, rest: Partial<Reached>): TuningChain => ({
    nodePool: keyOf(nodePool),
    configMap: `${namespace}/${from}`,
    kind: of.kind,
    name: of.name,
    way: [],
    objects: [],
    state: "in sync",
    ...rest,
    because: printable(rest.because ?? "", longestText),
  });
  const isInvalid = ({ object, from }: Given<Tuned | PerformanceProfile>): boolean =>
    invalid.some((one) => one.configMap === from && one.kind === object.kind && one.name === object.metadata.name);
  return [
    ...invalid.map((problem) =>
      chain(
        problem.configMap,
        { kind: problem.kind ?? "", name: problem.name ?? "" },
        { state: "not valid", because: formatProblem(problem).replace(`ConfigMap ${problem.configMap}, `, "") },
      ),
    ),
    ...tuneds
      .filter((given) => !isInvalid(given))
      .map((given) => chain(given.from, nameOf(given), reachedByTuned(given.object, sides))),
    ...profiles
      .filter((given) => !isInvalid(given))
      .map((given) => chain(given.from, nameOf(given), reachedByProfile(given.object, sides))),
  ];
}

function nameOf({ object }: Given<Tuned | PerformanceProfile>): Pick<TuningChain, "kind" | "name"> {
  return { kind: object.kind, name: object.metadata.name ?? "" };
}

type Reached = Pick<TuningChain, "way" | "objects" | "state" | "because">;

interface Sides {
  readonly pool: string;
  /** ConfigMaps of the control plane namespace that are for this NodePool. */
  readonly own: readonly ConfigMap[];
  /** What they say that the hosted cluster must have. */
  readonly mirrored: ReadonlyMap<string, Mirrored>;
  readonly hosted: readonly Tuned[] | undefined;
}

function reachedByTuned({ metadata, spec }: Tuned, sides: Sides): Reached {
  const name = hostedTunedName(metadata.name ?? "", sides.pool);
  const wanted = sides.mirrored.get(name);
  const { managementState: _, ...text } = spec ?? {};
  if (!wanted || !equal(wanted.tuned.spec, text))
    return {
      way: wanted ? [wanted.from] : [],
      objects: [],
      ...onTheWay("the management side has not passed it on yet"),
    };
  return { way: [wanted.from], objects: [`Tuned ${name}`], ...comparedWith([wanted], sides.hosted) };
}

/** What the operator of the hosted cluster derives from it goes both ways: a Tuned to the hosted cluster, configs to the NodePool. */
function reachedByProfile({ metadata }: PerformanceProfile, { own, mirrored, hosted }: Sides): Reached {
  const profile = own.find((one) => contentOf(one) === "profile");
  const derived = own.filter(({ metadata: { labels = {} } }) => Object.hasOwn(labels, keys.performanceProfileName));
  const tuneds = [...mirrored.values()].filter(({ from }) => derived.some((one) => one.metadata.name === from));
  const configs = own.filter((one) => ["machineConfig", "kubeletConfig"].includes(contentOf(one) ?? ""));
  const names = [profile, ...derived, ...configs].flatMap((one) => one?.metadata.name ?? []);
  const way = [...new Set(names)].filter((name) => !name.endsWith("-status"));
  const objects = tuneds.map(({ tuned }) => `Tuned ${tuned.metadata.name}`);
  if (!profile) return { way, objects, ...onTheWay("the management side has not passed it on yet") };
  const refused = refusalOf(own);
  if (refused !== undefined) return { way, objects, state: "not valid", because: refused };
  if (tuneds.length === 0)
    return {
      way,
      objects,
      ...onTheWay(`the operator of the hosted cluster has derived nothing from ${metadata.name} yet`),
    };
  return { way, objects, ...comparedWith(tuneds, hosted) };
}

/** Why the operator of the hosted cluster does not take the profile. */
function refusalOf(own: readonly ConfigMap[]): string | undefined {
  const found = own.find((one) => contentOf(one) === "status");
  const read = found && readStatus(found);
  const conditions = read?.type === "status" ? read.conditions : [];
  const degraded = conditions.find(({ type, status }) => type === "Degraded" && status === "True");
  return degraded && (degraded.message || degraded.reason || `${performanceProfileKind.kind} is degraded`);
}

function comparedWith(
  wanted: readonly Mirrored[],
  hosted: readonly Tuned[] | undefined,
): Pick<Reached, "state" | "because"> {
  if (!hosted) return { state: "not seen", because: "this console does not see the hosted cluster" };
  const found = new Map(hosted.map((tuned) => [tuned.metadata.name, tuned]));
  if (wanted.some(({ tuned }) => !found.has(tuned.metadata.name)))
    return onTheWay("the hosted cluster does not have it yet");
  if (wanted.some(({ tuned }) => !equal(found.get(tuned.metadata.name)?.spec, tuned.spec)))
    return { state: "edited", because: "the hosted cluster has another text, which its operator sets back" };
  return { state: "in sync", because: "" };
}

function onTheWay(because: string): Pick<Reached, "state" | "because"> {
  return { state: "on the way", because };
}
