import type { Condition } from "../../../language/object/condition.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { Column } from "../resource.ts";
import { compareVersions } from "../discovery/version-order.ts";

/**
 * A decoded CustomResourceDefinition. Before validation every field may be missing; a list without omitempty that was not
 * given is null.
 */
export interface Definition extends KubeObject {
  spec: DefinitionSpec;
  status?: DefinitionStatus;
}

export interface DefinitionSpec {
  group?: string;
  scope?: string;
  names?: DefinitionNames;
  versions?: DefinitionVersion[] | null;
  conversion?: Conversion;
  preserveUnknownFields?: boolean;
}

export interface DefinitionNames {
  plural?: string;
  singular?: string;
  shortNames?: string[];
  kind?: string;
  listKind?: string;
  categories?: string[];
}

export interface DefinitionVersion {
  name?: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: { status?: Record<string, never>; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath?: string }[];
}

export interface ScalePaths {
  specReplicasPath?: string;
  statusReplicasPath?: string;
  labelSelectorPath?: string;
}

export interface PrinterColumn {
  name: string;
  type: Column["type"];
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface Conversion {
  strategy?: string;
  webhook?: {
    clientConfig?: {
      url?: string;
      service?: { name?: string; namespace?: string; path?: string; port?: number };
      caBundle?: string;
    };
    conversionReviewVersions?: string[] | null;
  };
}

export interface DefinitionStatus {
  conditions: Condition[] | null;
  acceptedNames: DefinitionNames;
  storedVersions: string[] | null;
}

/** A cast: decoding has already checked the types of all fields. */
export function asDefinition(object: KubeObject): Definition {
  return object as Definition;
}

export function storageVersionOf(spec: DefinitionSpec): string | undefined {
  return spec.versions?.find((version) => version.storage)?.name;
}

/** The warning of a deprecated version: that of the definition, or a hint at a newer version. */
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
