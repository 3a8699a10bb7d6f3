import { type ObjectReference, type PlannedObject, referenceTo } from "../../language/object/plan.ts";
import type { ConfigMap, Manifest, ManifestProblem } from "../hosted/envelope/read-manifests.ts";
import { isNote, neededNames } from "../hosted/notes.ts";
import { contentOf, copyName, keys, nodePoolOf } from "../hosted/protocol.ts";
import { containerRuntimeConfigKind, kubeletConfigKind } from "../machine-config/api.ts";
import type { NodePool } from "./api.ts";
import { nameTaken } from "./name-taken.ts";
import { byName } from "./plan-tuning.ts";

export interface CopiesInput {
  readonly nodePool: NodePool;
  /** Manifests of the ConfigMaps in `spec.config`. */
  readonly given: readonly Manifest[];
  readonly configMap: (name: string) => ConfigMap | undefined;
  /** ConfigMaps of the control plane namespace: at least those of the NodePool. */
  readonly observed: readonly ConfigMap[];
  /** All of them, by name. Default: those observed. */
  readonly named?: ((name: string) => ConfigMap | undefined) | undefined;
  readonly namespace: string;
  /** Names of ConfigMaps that are planned there for the same NodePool. */
  readonly planned: ReadonlySet<string>;
}

export interface Copies {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  readonly problems: readonly ManifestProblem[];
}

/** The mark of a copy by the kind of object in it. Other kinds are not copied. */
const marks: Readonly<Record<string, string>> = {
  [kubeletConfigKind.kind]: keys.kubeletConfig,
  [containerRuntimeConfigKind.kind]: keys.containerRuntimeConfig,
};

/** Copies of the ConfigMaps with KubeletConfigs and ContainerRuntimeConfigs, where operators of the control plane read them. */
export function planCopies(input: CopiesInput): Copies {
  const { nodePool, given, configMap, observed, namespace, planned, named = byName(observed) } = input;
  const { name: pool = "" } = nodePool.metadata;
  const isOurs = (one: ConfigMap): boolean => contentOf(one) === "copy" && nodePoolOf(one) === pool && !isNote(one);
  const needed = new Set([...planned, ...neededNames(pool)]);
  const problems: ManifestProblem[] = [];
  const wanted = new Map<string, ConfigMap>();
  const kept = new Set(severalKubeletConfigs(given).map((source) => copyName(source, pool)));
  for (const [source, labels] of marksBySource(given)) {
    const name = copyName(source, pool);
    if (kept.has(name)) continue;
    const there = named(name);
    const fault = needed.has(name) ? `NodePool ${pool} needs the name` : nameTaken(there, "copy", pool);
    if (fault === undefined)
      wanted.set(name, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace, labels: { ...labels, [keys.mirroredConfig]: "true", [keys.nodePool]: pool } },
        data: { ...configMap(source)?.data },
      });
    else
      problems.push({
        configMap: source,
        message: `cannot be copied to the control plane namespace as ${name}: ${fault}: rename the ConfigMap`,
      });
  }
  return {
    objects: [...wanted.values()]
      .filter(({ metadata }) => named(metadata.name ?? "")?.immutable !== true)
      .map((object) => ({ owns: "whole", object, ownerless: true, because: `NodePool ${pool} refers to it` })),
    prunes: observed
      .filter((one) => isOurs(one) && !kept.has(one.metadata.name ?? ""))
      .filter(({ metadata, immutable }) => !wanted.has(metadata.name ?? "") || immutable === true)
      .map(referenceTo),
    problems,
  };
}

/** ConfigMaps with more KubeletConfigs than a NodePool may have: their copies stay as they were. */
function severalKubeletConfigs(given: readonly Manifest[]): string[] {
  const sources = given.flatMap(({ object, place }) =>
    object.kind === kubeletConfigKind.kind ? [place.configMap] : [],
  );
  return sources.filter((source, index) => sources.indexOf(source) !== index);
}

function marksBySource(given: readonly Manifest[]): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const { object, place } of given) {
    const mark = Object.hasOwn(marks, object.kind) ? marks[object.kind] : undefined;
    if (mark !== undefined) found.set(place.configMap, { ...found.get(place.configMap), [mark]: "true" });
  }
  return found;
}
