import { isTrue } from "../../../language/object/condition.ts";
import { equal } from "../../../language/object/json.ts";
import { dns1035Label, dnsSubdomain } from "../../../language/object/names.ts";
import { immutable, invalid, notSupported, required, type FieldError } from "../../../language/schema/field-error.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { Definition, DefinitionSpec, DefinitionVersion } from "./definition.ts";
import { validateBundle, validateConversion } from "./validate-conversion.ts";
import { validateNames } from "./validate-names.ts";
import {
  validateVersionSchema,
  validateColumn,
  validateDeprecation,
  validateRootSchema,
  validateScalePaths,
  validateSelectableFields,
} from "./validate-version.ts";

const SCOPES = ["Cluster", "Namespaced"];

export function validateDefinition(definition: Definition): FieldError[] {
  const { metadata, spec } = definition;
  const expected = `${spec.names?.plural ?? ""}.${spec.group ?? ""}`;
  const errors: FieldError[] = [];
  if (metadata.name !== expected)
    errors.push(invalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group'));
  errors.push(...validateSpec(spec), ...validateStoredVersions(definition), ...validateApproval(definition));
  if (spec.preserveUnknownFields) errors.push(preserveForbidden());
  return errors;
}

export function validateDefinitionUpdate(definition: Definition, old: Definition): FieldError[] {
  const { spec } = definition;
  const errors = validateSpec(spec, old.spec);
  // Scope and kind are immutable once objects may be stored.
  if (isTrue(old.status?.conditions, "Established")) {
    if (spec.scope !== old.spec.scope) errors.push(immutable("spec.scope", spec.scope));
    if (spec.names?.kind !== old.spec.names?.kind) errors.push(immutable("spec.names.kind", spec.names?.kind));
    errors.push(...validateBundle(spec.conversion, old.spec.conversion));
  }
  if (spec.group !== old.spec.group) errors.push(immutable("spec.group", spec.group));
  if (spec.names?.plural !== old.spec.names?.plural) errors.push(immutable("spec.names.plural", spec.names?.plural));
  errors.push(...validateStoredVersions(definition), ...validateApproval(definition, old));
  if (spec.preserveUnknownFields && !old.spec.preserveUnknownFields) errors.push(preserveForbidden());
  return errors;
}

const preserveForbidden = (): FieldError =>
  invalid(
    "spec.preserveUnknownFields",
    true,
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
  );

function validateSpec(spec: DefinitionSpec, old?: DefinitionSpec): FieldError[] {
  const errors: FieldError[] = [];
  const versions = spec.versions ?? [];
  errors.push(...validateGroup(spec.group));
  if (!spec.scope) errors.push(required("spec.scope"));
  else if (!SCOPES.includes(spec.scope)) errors.push(notSupported("spec.scope", spec.scope, SCOPES));
  for (const [i, version] of versions.entries())
    if (!version.schema?.openAPIV3Schema) errors.push(required(`spec.versions[${i}].schema.openAPIV3Schema`));

  // As kube-apiserver: faults of parts that all versions share are reported once, under the v1beta1 field of the part.
  const shared = sharedParts(versions);
  for (const [i, version] of versions.entries()) {
    const path = `spec.versions[${i}]`;
    for (const reason of joined(dns1035Label(version.name ?? "")))
      errors.push(invalid(`${path}.name`, version.name ?? "", reason));
    errors.push(...validateDeprecation(version, path));
    for (const part of PARTS)
      if (!shared.has(part)) errors.push(...validatePart(part, version, `${path}.${part}`, old));
  }
  errors.push(...validateVersionSet(versions, shared, !spec.versions));
  errors.push(...validateNames(spec.names ?? {}, "spec.names"));
  const [first] = versions;
  for (const part of PARTS)
    if (first && shared.has(part)) errors.push(...validatePart(part, first, `spec.${SHARED_NAMES[part]}`, old));
  if (spec.preserveUnknownFields && spec.conversion?.strategy === "Webhook")
    errors.push(invalid("spec.conversion.strategy", "Webhook", "must be None if spec.preserveUnknownFields is true"));
  errors.push(...validateConversion(spec.conversion ?? {}, "spec.conversion"));
  return errors;
}

function validateGroup(group = ""): FieldError[] {
  if (group === "") return [required("spec.group")];
  const reasons = dnsSubdomain(group);
  if (reasons.length > 0) return [invalid("spec.group", group, reasons.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

const PARTS = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
type Part = (typeof PARTS)[number];
const SHARED_NAMES: Record<Part, string> = {
  schema: "validation",
  subresources: "subresources",
  additionalPrinterColumns: "additionalPrinterColumns",
  selectableFields: "selectableFields",
};

function sharedParts(versions: readonly DefinitionVersion[]): Set<Part> {
  return new Set(PARTS.filter((part) => versions.every((version) => equal(version[part], versions[0]?.[part]))));
}

function validatePart(part: Part, version: DefinitionVersion, path: string, old?: DefinitionSpec): FieldError[] {
  const schema: Schema = version.schema?.openAPIV3Schema ?? {};
  if (part === "schema") {
    if (!version.schema?.openAPIV3Schema) return [];
    const root = `${path}.openAPIV3Schema`;
    const before = old?.versions?.find(({ name }) => name === version.name)?.schema?.openAPIV3Schema;
    const hasStatus = version.subresources?.status !== undefined;
    return [...validateRootSchema(schema, hasStatus, root), ...validateVersionSchema(schema, root, before)];
  }
  if (part === "subresources") {
    const scale = version.subresources?.scale;
    return scale ? validateScalePaths(scale, `${path}.scale`) : [];
  }
  if (part === "additionalPrinterColumns")
    return (version.additionalPrinterColumns ?? []).flatMap((column, i) => validateColumn(column, `${path}[${i}]`));
  return validateSelectableFields(version.selectableFields ?? [], schema, path);
}

function validateVersionSet(
  versions: readonly DefinitionVersion[],
  shared: ReadonlySet<Part>,
  isAbsent: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const shown = isAbsent ? null : versions.map((version) => internalForm(version, shared));
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid("spec.versions", shown, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  const first = versions[0]?.name ?? "";
  if (first !== "")
    for (const reason of joined(dns1035Label(first))) errors.push(invalid("spec.version", first, reason));
  return errors;
}

/** A version as errors about `spec.versions` print it: with Go's field names and without shared parts. */
function internalForm(version: DefinitionVersion, shared: ReadonlySet<Part>): Record<string, unknown> {
  const own = (part: Part) => (shared.has(part) ? null : (version[part] ?? null));
  return {
    Name: version.name ?? "",
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: own("schema"),
    Subresources: own("subresources"),
    AdditionalPrinterColumns: own("additionalPrinterColumns"),
    SelectableFields: own("selectableFields"),
  };
}

function validateStoredVersions({ spec, status }: Definition): FieldError[] {
  const path = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0)
    return [invalid(path, status?.storedVersions ?? null, "must have at least one stored version")];
  const versions = spec.versions ?? [];
  const errors: FieldError[] = [];
  for (const { name = "", storage } of versions)
    if (storage && !stored.includes(name)) errors.push(invalid(path, stored, `must have the storage version ${name}`));
  for (const [i, version] of stored.entries())
    if (!versions.some(({ name }) => name === version))
      errors.push(
        invalid(
          `${path}[${i}]`,
          version,
          `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
        ),
      );
  return errors;
}

const joined = (reasons: readonly string[]): string[] => (reasons.length > 0 ? [reasons.join(",")] : []);

const ANNOTATION = "api-approved.kubernetes.io";
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const POLICY = "see https://github.com/kubernetes/enhancements/pull/1111";
const PROTECTED = [".k8s.io", ".kubernetes.io"];

/** Groups of kubernetes.io and k8s.io need an annotation that names their approval, or says that they are unapproved. */
export function validateApproval(definition: Definition, old?: Definition): FieldError[] {
  const errors = faults(definition);
  // A stored definition without approval may still be updated.
  return old && equal(errors, faults(old)) ? [] : errors;
}

function faults({ spec, metadata }: Definition): FieldError[] {
  const group = `.${spec.group ?? ""}`;
  if (!PROTECTED.some((domain) => group.endsWith(domain))) return [];
  const approval = metadata.annotations?.[ANNOTATION];
  const wants = `protected groups must have approval annotation "${ANNOTATION}"`;
  if (!approval) return [required(FIELD, `${wants}, ${POLICY}`)];
  if (approval.startsWith("unapproved") || (URL.canParse(approval) && new URL(approval).host !== "")) return [];
  return [invalid(FIELD, approval, `${wants} with either a URL or a reason starting with "unapproved", ${POLICY}`)];
}
