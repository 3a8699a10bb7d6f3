import { compareVersions } from "../discovery/version-order.ts";
import type { DefinitionSpec, DefinitionVersion } from "./definition.ts";

/** What users of a deprecated version are told with every answer: the author's words, or where to go instead. */
export function deprecationWarning(spec: DefinitionSpec, version: DefinitionVersion): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const named = (name: string): string => `${spec.group}/${name} ${spec.names?.kind}`;
  const own = version.name ?? "";
  const better = (spec.versions ?? [])
    .filter(({ served, deprecated, name = "" }) => served && !deprecated && compareVersions(name, own) < 0)
    .map(({ name = "" }) => name)
    .toSorted(compareVersions)[0];
  return `${named(own)} is deprecated${better === undefined ? "" : `; use ${named(better)}`}`;
}
