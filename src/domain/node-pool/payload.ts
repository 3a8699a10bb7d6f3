import type { KubeObject } from "../../language/object/meta.ts";
import { configKinds, tunedKinds } from "../hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "../hosted/envelope/read-manifests.ts";
import { configKey, type Content, contentOf, nodePoolOf, tuningKeys } from "../hosted/protocol.ts";
import { derivedSetAnnotation, incompleteSets, setOf } from "../rollout/derived-set.ts";
import type { Config } from "./read-config.ts";

/** What a NodePool is rolled out to. */
export type Payload =
  | { readonly type: "new"; readonly objects: readonly KubeObject[] }
  /** What the nodes have stays: something is invalid, or still being written. */
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

/** A payload never has a part of what belongs together, so that a profile, or its replacement by another, is one rollout. */
export function payloadOf({ nodePool, config, controlPlane, lastGood }: PayloadInput): Payload {
  const waitsFor = incompleteProfiles(nodePool, controlPlane);
  if (config.problems.length === 0 && waitsFor.length === 0) return { type: "new", objects: config.objects };
  const objects = lastGood();
  return objects ? { type: "kept", objects, waitsFor } : { type: "none" };
}

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
