import type { KubeObject } from "../../../language/object/meta.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import type { RenderProblem } from "../culprit.ts";
import {
  contentSourcePolicy,
  digestMirrorSet,
  type ImageContentSourcePolicy,
  type ImageDigestMirrorSet,
  type MirroredSource,
} from "./api.ts";

/** All mirrors of one source. */
export interface Mirrors {
  readonly source: string;
  readonly locations: readonly string[];
  /** Its images come from mirrors only. */
  readonly neverContact: boolean;
}

interface Given {
  readonly object: RenderProblem["object"];
  readonly field: string;
  readonly entry: MirroredSource;
}

/** Sources in the order of their names; mirrors in the order of the objects' names, and in each as given. */
export function mirroredSources(objects: readonly KubeObject[]): {
  readonly mirrors: readonly Mirrors[];
  readonly problems: readonly RenderProblem[];
} {
  const bySource = new Map<string, Given[]>();
  for (const given of objects.toSorted(byName).flatMap(entriesOf)) {
    const { source } = given.entry;
    bySource.set(source, [...(bySource.get(source) ?? []), given]);
  }
  const all = [...bySource].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    mirrors: all.map(([source, given]) => ({
      source,
      locations: [...new Set(given.flatMap(({ entry }) => entry.mirrors ?? []))],
      neverContact: given.some(({ entry }) => entry.mirrorSourcePolicy === "NeverContactSource"),
    })),
    problems: all.flatMap(([, given]) => contradiction(given)),
  };
}

/** Of two objects that differ about the source itself, neither is right. */
function contradiction(given: readonly Given[]): RenderProblem[] {
  const policies = given.filter(({ entry }) => entry.mirrorSourcePolicy);
  const [first] = policies;
  const other = policies.find(({ entry }) => entry.mirrorSourcePolicy !== first?.entry.mirrorSourcePolicy);
  if (!first || !other) return [];
  const { object, field, entry } = other;
  const detail = `${first.object.kind} ${first.object.name} says ${first.entry.mirrorSourcePolicy} about ${entry.source}: let both say the same`;
  return [{ object, ...invalid(`${field}.mirrorSourcePolicy`, entry.mirrorSourcePolicy, detail) }];
}

function entriesOf(object: KubeObject): Given[] {
  const { apiVersion, kind, metadata } = object;
  const of = { apiVersion, kind, name: metadata.name ?? "" };
  const at = (field: string, entries: readonly MirroredSource[] = []): Given[] =>
    entries.map((entry, index) => ({ object: of, field: `${field}[${index}]`, entry }));
  if (isOf(object, digestMirrorSet))
    return at("spec.imageDigestMirrors", (object as ImageDigestMirrorSet).spec?.imageDigestMirrors);
  if (isOf(object, contentSourcePolicy))
    return at("spec.repositoryDigestMirrors", (object as ImageContentSourcePolicy).spec?.repositoryDigestMirrors);
  return [];
}

export function isOf(object: KubeObject, { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return object.apiVersion === apiVersion && object.kind === kind;
}

export function byName({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}
