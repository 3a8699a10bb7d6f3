import type { EnvFromSource, EnvVar, EnvVarSource } from "kubernetes-types/core/v1.js";
import { configMapKey, dnsSubdomain } from "../../../../../language/object/names.ts";
import { type FieldError, invalid, notSupported, required } from "../../../../../language/schema/field-error.ts";

const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const fields = new Set([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

export function validateEnv(env: readonly EnvVar[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { name, value, valueFrom }] of env.entries()) {
    const field = `${at}[${index}]`;
    if (!name) errors.push(required(`${field}.name`));
    else errors.push(...validateEnvName(name, `${field}.name`));
    if (valueFrom) errors.push(...validateSource(valueFrom, value ?? "", `${field}.valueFrom`));
  }
  return errors;
}

function validateEnvName(name: string, field: string): FieldError[] {
  return /^[ -<>-~]+$/.test(name)
    ? []
    : [
        invalid(
          field,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      ];
}

function validateSource(source: EnvVarSource, value: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const kinds = Object.keys(source).length;
  if (source.fieldRef) errors.push(...validateFieldPath(source.fieldRef.fieldPath, `${at}.fieldRef.fieldPath`));
  if (source.resourceFieldRef) {
    const { resource } = source.resourceFieldRef;
    const field = `${at}.resourceFieldRef.resource`;
    if (!resource) errors.push(required(field));
    else if (!resources.includes(resource) && !/^(?:limits|requests)\.hugepages-/.test(resource))
      errors.push(notSupported(field, resource, resources));
  }
  for (const kind of ["configMapKeyRef", "secretKeyRef"] as const) {
    const reference = source[kind];
    if (!reference) continue;
    const { name = "", key } = reference;
    for (const reason of dnsSubdomain(name)) errors.push(invalid(`${at}.${kind}.name`, name, reason));
    if (!key) errors.push(required(`${at}.${kind}.key`));
    else for (const reason of configMapKey(key)) errors.push(invalid(`${at}.${kind}.key`, key, reason));
  }
  if (value !== "" && kinds > 0) errors.push(invalid(at, "", "may not be specified when `value` is not empty"));
  else if (kinds === 0)
    errors.push(
      invalid(
        at,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    );
  else if (kinds > 1) errors.push(invalid(at, "", "may not have more than one field specified at a time"));
  return errors;
}

/** A field of the pod that the downward API supports. */
export function validateFieldPath(path: string, field: string): FieldError[] {
  if (!path) return [required(field)];
  if (fields.has(path) || /^metadata\.(?:labels|annotations)(?:\['[^']+'\])?$/.test(path)) return [];
  return [invalid(field, path, `error converting fieldPath: field label not supported: ${path}`)];
}

export function validateEnvFrom(sources: readonly EnvFromSource[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, source] of sources.entries()) {
    const field = `${at}[${index}]`;
    if (source.prefix) errors.push(...validateEnvName(source.prefix, `${field}.prefix`));
    let kinds = 0;
    for (const kind of ["configMapRef", "secretRef"] as const) {
      const reference = source[kind];
      if (!reference) continue;
      if (++kinds > 1) errors.push(invalid(at, "", "may not have more than one field specified at a time"));
      const { name } = reference;
      if (!name) errors.push(required(`${field}.${kind}.name`));
      else for (const reason of dnsSubdomain(name)) errors.push(invalid(`${field}.${kind}.name`, name, reason));
    }
    if (kinds === 0) errors.push(invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"));
  }
  return errors;
}
