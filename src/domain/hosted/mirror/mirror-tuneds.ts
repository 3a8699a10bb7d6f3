import { type ObjectReference, type PlannedObject, referenceTo } from "../../../language/object/plan.ts";
import type { Tuned } from "../../node-tuning/api.ts";
import { defaultTuned, defaultTunedName } from "../../node-tuning/default-tuned.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { hostedTunedName } from "../names.ts";
import { keys } from "../protocol.ts";
import { type Mirrored, type MirrorProblem, readTuneds } from "./read-tuneds.ts";

export interface MirrorInput {
  /** Of the control plane namespace. */
  readonly configMaps: readonly ConfigMap[];
  /** Of the hosted cluster. */
  readonly tuneds: readonly Tuned[];
  /** Of Tuneds in the hosted cluster. */
  readonly namespace: string;
  /** Of the decision before. Absent: the operator has just started. */
  readonly lastGood?: ReadonlyMap<string, Mirrored> | undefined;
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
  const { mirrored, problems } = readTuneds(input.configMaps, namespace);
  const keeps = keeping(problems);
  const remembered = input.lastGood ?? adopted(input.tuneds, keeps);
  const good = new Map([...[...remembered].filter(([name, one]) => keeps(name, one)), ...mirrored]);
  const observed = new Map(input.tuneds.map((tuned) => [tuned.metadata.name ?? "", tuned]));
  const found = observed.get(defaultTunedName);
  return {
    objects: [
      ...Array.from(good.values(), ({ tuned, nodePool }): PlannedObject => ({
        owns: "whole",
        object: tuned,
        exactMetadata: true,
        because: `a ConfigMap has it for NodePool ${nodePool}`,
      })),
      ...(found ? revertedDefault(found, namespace) : []),
    ],
    prunes: [...observed]
      .filter(([name]) => name !== defaultTunedName && !good.has(name))
      .map(([, tuned]) => referenceTo(tuned)),
    tuneds: [
      ...(found ? [{ ...found, spec: defaultTuned(namespace).spec }] : []),
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

/** After a restart nobody remembers what a manifest said that cannot be read now: what it brought stays as it is. */
function adopted(tuneds: readonly Tuned[], keeps: Keeps): Map<string, Mirrored> {
  const found = new Map<string, Mirrored>();
  for (const { apiVersion, kind, metadata, spec } of tuneds) {
    const { name = "", namespace, labels = {}, annotations, deletionTimestamp } = metadata;
    const nodePool = Object.hasOwn(labels, keys.nodePoolName) ? labels[keys.nodePoolName] : undefined;
    if (nodePool === undefined || deletionTimestamp || !name.endsWith(hostedTunedName("", nodePool))) continue;
    const tuned = { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec };
    if (keeps(name, { nodePool, from: "" })) found.set(name, { nodePool, from: "", tuned });
  }
  return found;
}

/** Its users may neither stop the operator nor move it to a NodePool. */
function revertedDefault({ metadata, spec }: Tuned, namespace: string): PlannedObject[] {
  const isMarked = [metadata.labels, metadata.annotations].some((names) => Object.keys(names ?? {}).length > 0);
  const isHeld = (metadata.finalizers?.length ?? 0) > 0 || (metadata.ownerReferences?.length ?? 0) > 0;
  if (!isMarked && !isHeld && spec?.managementState === undefined) return [];
  const because = "hosted clusters are tuned from the management cluster only";
  return [{ owns: "whole", object: defaultTuned(namespace), exactMetadata: true, because }];
}

/** With what only the API server knows, for statuses and reports. */
function withServerFields(tuned: Tuned, observed: Tuned | undefined): Tuned {
  if (!observed) return tuned;
  const { uid, generation, resourceVersion, creationTimestamp } = observed.metadata;
  return {
    ...tuned,
    metadata: { ...tuned.metadata, uid, generation, resourceVersion, creationTimestamp },
    status: observed.status,
  };
}
