import { type ObjectReference, referenceTo } from "../../../language/object/plan.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { joinedName } from "../names.ts";
import { contentOf, keys, nodePoolIn } from "../protocol.ts";
import { type Mirrored, readTuneds } from "./read-tuneds.ts";

/** Label of a note. Its value is of no meaning. */
const noteMark = "rollout.attune.dev/last-good";
/** Annotation of a note: the ConfigMap that it is about. */
const sourceAnnotation = "rollout.attune.dev/source";

const longestName = 253;

/** The note about a ConfigMap. */
export const lastGoodConfigMap = (source: string): string => joinedName("last-good", source, longestName);

export function isLastGood({ metadata: { labels = {} } }: Pick<ConfigMap, "metadata">): boolean {
  return Object.hasOwn(labels, noteMark);
}

/** The ConfigMap that a note is about. */
export function sourceOfNote({ metadata: { annotations = {} } }: ConfigMap): string {
  return annotations[sourceAnnotation] ?? "";
}

export type LastGood =
  | { readonly type: "keep" }
  | { readonly type: "write"; readonly note: ConfigMap }
  | { readonly type: "delete"; readonly notes: readonly ObjectReference[] };

/**
 * The note with the last content of a ConfigMap that could be read completely. After a restart of the operator, it tells what
 * the hosted cluster must have while the ConfigMap cannot be read. `source`: absent if the ConfigMap is gone.
 */
export function lastGoodNote(source: ConfigMap | undefined, notes: readonly ConfigMap[], namespace: string): LastGood {
  if (!source || contentOf(source) !== "tuneds" || source.metadata.deletionTimestamp)
    return { type: "delete", notes: notes.map(referenceTo) };
  if (readTuneds([source], namespace).problems.length > 0) return { type: "keep" };
  const { name = "", namespace: controlPlane, annotations = {} } = source.metadata;
  const pool = annotations[keys.nodePool] ?? "";
  return {
    type: "write",
    note: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: lastGoodConfigMap(name),
        namespace: controlPlane,
        labels: { [noteMark]: "true", [keys.nodePool]: nodePoolIn(source) ?? "" },
        annotations: { [sourceAnnotation]: name, [keys.nodePool]: pool },
      },
      data: { ...source.data },
    },
  };
}

/** What the notes hold, by the names of Tuneds in the hosted cluster. */
export function rememberedTuneds(configMaps: readonly ConfigMap[], namespace: string): Map<string, Mirrored> {
  const sources = configMaps.filter(isLastGood).map((note): ConfigMap => ({
    ...note,
    metadata: {
      name: sourceOfNote(note),
      labels: { [keys.tunedConfig]: "true" },
      annotations: { ...note.metadata.annotations },
    },
  }));
  return new Map(readTuneds(sources, namespace).mirrored);
}
