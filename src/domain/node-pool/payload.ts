import type { KubeObject } from "../../language/object/meta.ts";
import { configKinds, tunedKinds } from "../hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "../hosted/envelope/read-manifests.ts";
import { configKey, type Content, contentOf, nodePoolOf, tuningKeys } from "../hosted/protocol.ts";
import { derivedSetAnnotation, incompleteSets, setOf } from "../rollout/derived-set.ts";
import { kubeletConfigKind } from "../machine-config/api.ts";
import { isGenerated } from "./generated-object.ts";
import type { Config } from "./read-config.ts";

/** What a NodePool is rolled out to. */
export type Payload =
  | { readonly type: "new"; readonly objects: readonly KubeObject[] }
  /** What the nodes have stays, as far as something is invalid or still being written. */
  | { readonly type: "kept"; readonly objects: readonly KubeObject[]; readonly waitsFor: readonly string[] }
  /** A new NodePool without a valid configuration. */
  | { readonly type: "none" };

export interface PayloadInput {
  readonly nodePool: string;
  readonly config: Config;
  /** ConfigMaps of the control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  /** The objects of the present payload. */
  readonly lastGood: () => readonly KubeObject[] | undefined;
}

/**
 * A payload never has a part of what belongs together, so that a profile, or its replacement by another, is one rollout. What is
 * wrong with one object of a user keeps that object as it was, and no other from nodes (hosted W-8).
 */
export function payloadOf({ nodePool, config, controlPlane, lastGood }: PayloadInput): Payload {
  const waitsFor = incompleteProfiles(nodePool, controlPlane);
  const { generated } = config;
  if (config.problems.length === 0 && waitsFor.length === 0)
    return { type: "new", objects: [...config.own, ...generated] };
  const last = lastGood();
  if (!last) return { type: "none" };
  if (waitsFor.length > 0 || config.isContradictory) return { type: "kept", objects: last, waitsFor };
  // A ConfigMap that is known a moment later must not be a second rollout.
  const own = config.isMissingSome ? [] : config.own;
  const names = new Set(own.map(nameOf));
  const mayBeLost = losing(config);
  const kept = last.filter(
    (object) => !isGenerated(object, nodePool) && !names.has(nameOf(object)) && mayBeLost(object),
  );
  const objects = [...own, ...kept, ...generated];
  // One that stays may contradict what is new.
  const isClear = objects.filter(({ kind }) => kind === kubeletConfigKind.kind).length <= 1;
  return { type: "kept", objects: isClear ? objects : last, waitsFor };
}

/** Whether an object may be missing only because it cannot be read now. Without the name of what cannot be, any object may. */
function losing({ problems, isMissingSome }: Config): (object: KubeObject) => boolean {
  const invalid = new Set<string>();
  for (const { kind, name } of problems) {
    if (isMissingSome || name === undefined || !configKinds.some((known) => known.kind === kind)) return () => true;
    invalid.add(`${kind} ${name}`);
  }
  return (object) => invalid.has(nameOf(object));
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

/** Profiles of which some derived objects are written, and others not yet or not any more. */
export function incompleteProfiles(nodePool: string, controlPlane: readonly ConfigMap[]): string[] {
  const own = controlPlane.filter((one) => nodePoolOf(one) === nodePool);
  const objectsOf = (content: Content, keys: readonly string[], kinds = configKinds): KubeObject[] =>
    own
      .filter((one) => contentOf(one) === content)
      .flatMap((one) => readManifests(one, keys, kinds).manifests.map(({ object }) => withMark(object, one)));
  const derived = {
    tuneds: objectsOf("tuneds", tuningKeys, tunedKinds),
    machineConfigs: objectsOf("machineConfig", [configKey]),
    kubeletConfigs: objectsOf("kubeletConfig", [configKey]),
  };
  return incompleteSets(derived, derived);
}

/** The mark of a set is on the ConfigMap, so that it changes nothing for nodes. */
function withMark({ metadata, ...object }: KubeObject, configMap: ConfigMap): KubeObject {
  const set = setOf(configMap);
  const annotations = set === undefined ? {} : { [derivedSetAnnotation]: set };
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
  };
}
