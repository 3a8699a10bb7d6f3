import { type FieldError, forbidden, immutable, invalid, required, tooLong } from "../schema/field-error.ts";
import { byteLength } from "./byte-length.ts";
import { equal } from "./json.ts";
import { type ObjectMeta, type OwnerReference, parseApiVersion } from "./meta.ts";
import { annotationKey, asPrefix, dnsLabel, labelValue, type NameRule, qualifiedName } from "./names.ts";

export interface MetaRules {
  readonly namespaced: boolean;
  readonly validateName: NameRule;
}

const annotationsLimit = 256 * 1024;

/** Errors in the metadata of a new object. */
export function validateObjectMeta(meta: ObjectMeta, { namespaced, validateName }: MetaRules): FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", generateName = "", namespace = "" } = meta;
  if (generateName !== "")
    for (const reason of validateName(asPrefix(generateName)))
      errors.push(invalid("metadata.generateName", generateName, reason));
  if (name === "") errors.push(required("metadata.name", "name or generateName is required"));
  else for (const reason of validateName(name)) errors.push(invalid("metadata.name", name, reason));

  if (!namespaced && namespace !== "") errors.push(forbidden("metadata.namespace", "not allowed on this type"));
  else if (namespaced && namespace === "") errors.push(required("metadata.namespace"));
  else if (namespaced)
    for (const reason of dnsLabel(namespace)) errors.push(invalid("metadata.namespace", namespace, reason));

  if (meta.generation !== undefined && meta.generation < 0)
    errors.push(invalid("metadata.generation", meta.generation, "must be greater than or equal to 0"));
  validateCollections(meta, errors);
  validateFinalizers(meta.finalizers ?? [], errors);
  return errors;
}

const unchangeable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const satisfies readonly (keyof ObjectMeta)[];

/**
 * Errors of an update. In kube-apiserver the check of a kind repeats the general one, so each error appears twice among the
 * causes, and once in the message.
 */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const transition: FieldError[] = [];
  if (old.deletionTimestamp) {
    const had = new Set(old.finalizers);
    const added = [...new Set(meta.finalizers)].filter((finalizer) => !had.has(finalizer)).toSorted();
    if (added.length > 0)
      transition.push(
        forbidden(
          "metadata.finalizers",
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added
            .map((finalizer) => JSON.stringify(finalizer))
            .join(", ")}}`,
        ),
      );
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    transition.push(invalid("metadata.generation", meta.generation ?? 0, "must not be decremented"));
  for (const field of unchangeable)
    if (!equal(meta[field] ?? null, old[field] ?? null)) transition.push(immutable(`metadata.${field}`, meta[field]));

  const errors = [...transition, ...transition];
  validateCollections(meta, errors);
  validateFinalizers(meta.finalizers ?? [], errors);
  return errors;
}

function validateCollections(meta: ObjectMeta, errors: FieldError[]): void {
  validateLabels(meta.labels ?? {}, "metadata.labels", errors);
  validateAnnotations(meta.annotations ?? {}, errors);
  validateOwnerReferences(meta.ownerReferences ?? [], errors);
}

/** For labels in metadata, in selectors and in templates. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string, errors: FieldError[]): void {
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? "";
    for (const reason of qualifiedName(key)) errors.push(invalid(field, key, reason));
    for (const reason of labelValue(value)) errors.push(invalid(field, value, reason));
  }
}

/** For annotations in metadata and in templates. */
export function validateAnnotations(annotations: Readonly<Record<string, string>>, errors: FieldError[]): void {
  let size = 0;
  for (const key of Object.keys(annotations)) {
    for (const reason of annotationKey(key)) errors.push(invalid("metadata.annotations", key, reason));
    size += byteLength(key) + byteLength(annotations[key] ?? "");
  }
  if (size > annotationsLimit) errors.push(tooLong("metadata.annotations", annotationsLimit));
}

function validateOwnerReferences(references: readonly Partial<OwnerReference>[], errors: FieldError[]): void {
  const field = "metadata.ownerReferences";
  let controller: Partial<OwnerReference> | undefined;
  for (const reference of references) {
    const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
    const { group, version } = parseApiVersion(apiVersion);
    if (version === "" || version.includes("/"))
      errors.push(invalid(`${field}.apiVersion`, apiVersion, "version must not be empty"));
    for (const [part, value] of Object.entries({ kind, name, uid }))
      if (value === "") errors.push(invalid(`${field}.${part}`, value, "must not be empty"));
    if (group === "" && version === "v1" && kind === "Event")
      errors.push(invalid(field, reference, "/v1, Kind=Event is disallowed from being an owner"));
    if (!reference.controller) continue;
    if (controller)
      errors.push(
        invalid(
          field,
          references,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${kind}/${name}`,
        ),
      );
    else controller = reference;
  }
}

function validateFinalizers(finalizers: readonly string[], errors: FieldError[]): void {
  for (const finalizer of finalizers)
    for (const reason of qualifiedName(finalizer)) errors.push(invalid("metadata.finalizers", finalizer, reason));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    errors.push(
      invalid("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set"),
    );
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Finalizers of built-in kinds must have a domain; those of custom kinds need not. */
export function validateBuiltInFinalizers(finalizers: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, finalizer] of finalizers.entries())
    if (!finalizer.includes("/") && !standardFinalizers.has(finalizer))
      errors.push(
        invalid(
          `metadata.finalizers[${i}]`,
          finalizer,
          "name is neither a standard finalizer name nor is it fully qualified",
        ),
      );
  return errors;
}
