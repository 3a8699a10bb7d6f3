import { equal } from "../../../language/object/json.ts";
import { type ObjectReference, type PlannedObject, referenceTo } from "../../../language/object/plan.ts";
import type { Tuned } from "../../node-tuning/api.ts";
import { defaultTuned, defaultTunedName } from "../../node-tuning/default-tuned.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { hostedTunedName } from "../names.ts";
import { keys } from "../protocol.ts";
import { type Mirrored, type MirrorProblem, readTuneds, type ReadTunedManifests } from "./read-tuneds.ts";

export interface MirrorInput {
  /** Of the control plane namespace. */
  readonly configMaps: readonly ConfigMap[];
  /** Of the hosted cluster. */
  readonly tuneds: readonly Tuned[];
  /** Of Tuneds in the hosted cluster. */
  readonly namespace: string;
  /** Of the decision before. Absent: the operator has just started. */
  readonly lastGood?: ReadonlyMap<string, Mirrored> | undefined;
  /** What an operator before this one noted for such a start. */
  readonly noted?: ReadonlyMap<string, Mirrored> | undefined;
  readonly read?: ReadTunedManifests | undefined;
}

export interface Mirror {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  /**
   * By which Profiles are decided: as the ConfigMaps have them, whatever the hosted cluster has at the moment. So an edit
   * there never reaches a node, not even until it is reverted.
   */
  readonly tuneds: readonly Tuned[];
  readonly problems: readonly MirrorProblem[];
  readonly lastGood: ReadonlyMap<string, Mirrored>;
}

/** What makes the Tuneds of the hosted cluster equal to those of the ConfigMaps, and `default` to what is shipped. */
export function mirrorTuneds(input: MirrorInput): Mirror {
  const { namespace } = input;
  const { mirrored, problems } = readTuneds(input.configMaps, namespace, input.read);
  const keeps = keeping(problems);
  const remembered = input.lastGood ?? atStart(input, keeps);
  const good = new Map([...[...remembered].filter(([name, one]) => keeps(name, one)), ...mirrored]);
  const observed = new Map(input.tuneds.map((tuned) => [tuned.metadata.name ?? "", tuned]));
  // Users of the hosted cluster may neither stop the operator by its state nor move it to a NodePool.
  const shipped = defaultTuned(namespace);
  const found = observed.get(defaultTunedName);
  return {
    objects: [
      ...Array.from(good.values(), ({ tuned, nodePool }): PlannedObject => ({
        owns: "whole",
        object: tuned,
        exactMetadata: true,
        because: `a ConfigMap has it for NodePool ${nodePool}`,
      })),
      { owns: "whole", object: shipped, exactMetadata: true, because: "the default Tuned always exists" },
    ],
    prunes: [...observed]
      .filter(([name]) => name !== defaultTunedName && !good.has(name))
      .map(([, tuned]) => referenceTo(tuned)),
    tuneds: [
      ...(found ? [withServerFields(shipped, found)] : []),
      ...Array.from(good.values(), ({ tuned }) => withServerFields(tuned, observed.get(tuned.metadata.name ?? ""))),
    ],
    problems,
    lastGood: good,
  };
}

type Keeps = (name: string, of: Pick<Mirrored, "nodePool" | "from">) => boolean;

/** Whether a Tuned may be one of those that cannot be read at the moment. One that was adopted is of no known ConfigMap. */
function keeping(problems: readonly MirrorProblem[]): Keeps {
  const named = new Set<string>();
  const unreadable = new Set<string>();
  for (const { nodePool, configMap, kind, name } of problems) {
    if (nodePool === undefined) unreadable.add(configMap);
    else if (kind === "Tuned" && name !== undefined) named.add(hostedTunedName(name, nodePool));
    else unreadable.add(configMap).add(poolKey(nodePool));
  }
  return (name, { nodePool, from }) =>
    named.has(name) || unreadable.has(from) || (from === "" && unreadable.has(poolKey(nodePool)));
}

const poolKey = (nodePool: string): string => `pool/${nodePool}`;

/**
 * What the notes have. Of a NodePool without notes, as when another operator was here before, what a manifest brought that
 * cannot be read now stays as it is.
 */
function atStart({ tuneds, noted = new Map() }: MirrorInput, keeps: Keeps): ReadonlyMap<string, Mirrored> {
  const known = new Set(Array.from(noted.values(), ({ nodePool }) => nodePool));
  const found = new Map(noted);
  for (const { apiVersion, kind, metadata, spec } of tuneds) {
    const { name = "", namespace, labels = {}, annotations, deletionTimestamp } = metadata;
    const nodePool = Object.hasOwn(labels, keys.nodePoolName) ? labels[keys.nodePoolName] : undefined;
    if (nodePool === undefined || known.has(nodePool)) continue;
    if (deletionTimestamp || !name.endsWith(hostedTunedName("", nodePool))) continue;
    const tuned = { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec };
    if (keeps(name, { nodePool, from: "" })) found.set(name, { nodePool, from: "", tuned });
  }
  return found;
}

/**
 * With what only the API server knows, for statuses and reports. A Tuned that is written only now will have a new generation:
 * what nodes report for the old one is not for this text.
 */
function withServerFields(tuned: Tuned, observed: Tuned | undefined): Tuned {
  const { uid, generation = 0, resourceVersion, creationTimestamp } = observed?.metadata ?? {};
  const server = equal(tuned.spec, observed?.spec)
    ? { uid, generation, resourceVersion, creationTimestamp }
    : { generation: generation + 1 };
  return {
    ...tuned,
    metadata: { ...tuned.metadata, ...server },
    ...(observed?.status ? { status: observed.status } : {}),
  };
}
