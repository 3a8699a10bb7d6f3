import type { KubeObject, ObjectMeta } from "../../../language/object/meta.ts";
import { splitDocuments } from "../../../language/object/split-documents.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import type { ConfigMap, Place } from "../../hosted/envelope/read-manifests.ts";
import { tuningKeys } from "../../hosted/protocol.ts";
import type { PerformanceProfile } from "../../performance-profile/api.ts";
import { apiVersion, type NodePool, nodePoolKind } from "../api.ts";

/** Where the profile of a NodePool is written. */
export interface ProfileTarget {
  readonly nodePool: NodePool;
  /** The ConfigMap that has the profile now. Absent: the NodePool has none. */
  readonly given?: { readonly configMap: ConfigMap; readonly place: Pick<Place, "key" | "document"> } | undefined;
  /** Names of the ConfigMaps of its namespace. */
  readonly taken: readonly string[];
}

export interface WrittenProfile {
  /**
   * As users keep them in files: what they applied before and is missing there, kubectl would remove. Of a ConfigMap without its
   * other keys.
   */
  readonly whole: readonly KubeObject[];
  /** Only the fields that change: whoever wrote the others keeps them. */
  readonly changed: readonly KubeObject[];
}

/** What brings a profile to the nodes of a NodePool: its ConfigMap, and for a new one the reference to it. */
export function writtenProfile(profile: PerformanceProfile, { nodePool, given, taken }: ProfileTarget): WrittenProfile {
  const { namespace } = nodePool.metadata;
  if (given) {
    const { metadata } = given.configMap;
    const data = { [given.place.key]: textWith(profile, given) };
    return {
      whole: [{ ...configMapOf(ownMetadata(metadata)), data }],
      changed: [{ ...configMapOf({ name: metadata.name, namespace }), data }],
    };
  }
  const name = freeName(profile.metadata.name ?? "", taken);
  const configMap = { ...configMapOf({ name, namespace }), data: { [tuningKeys[0]]: writeYaml(profile) } };
  const tuningConfig = [...(nodePool.spec?.tuningConfig ?? []), { name }];
  const { kind } = nodePoolKind;
  return {
    whole: [
      configMap,
      { apiVersion, kind, metadata: ownMetadata(nodePool.metadata), spec: { ...nodePool.spec, tuningConfig } },
    ],
    changed: [
      configMap,
      { apiVersion, kind, metadata: { name: nodePool.metadata.name, namespace }, spec: { tuningConfig } },
    ],
  };
}

function configMapOf(metadata: ObjectMeta): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Without what the API server and kubectl write. */
function ownMetadata({ name, namespace, labels, annotations = {} }: ObjectMeta): ObjectMeta {
  const { [lastApplied]: _, ...others } = annotations;
  return {
    name,
    namespace,
    ...(labels ? { labels } : {}),
    ...(Object.keys(others).length > 0 ? { annotations: others } : {}),
  };
}

/** Other documents stay as their author wrote them. */
function textWith(profile: PerformanceProfile, { configMap, place }: NonNullable<ProfileTarget["given"]>): string {
  const documents = splitDocuments((configMap.data?.[place.key] ?? "").replace(/^\uFEFF/, ""));
  return documents
    .map(({ text }, at) => (at + 1 === place.document ? writeYaml(profile) : `${text.replace(/^\n+|\n$/g, "")}\n`))
    .join("---\n");
}

/** A ConfigMap of that name may be of another NodePool. */
function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let next = 2; taken.includes(free); next++) free = `${name}-${next}`;
  return free;
}
