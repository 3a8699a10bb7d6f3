import type { ObjectMeta } from "../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../language/object/names.ts";
import { validateBuiltInFinalizers, validateObjectMeta } from "../../../language/object/validate-meta.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import { maxComplaints } from "../body/json-scan.ts";
import type { Resource } from "../resource.ts";

/** Validation of metadata, the same for every kind. */
export function metadataFaults(metadata: ObjectMeta, { namespaced, origin, strategy }: Resource): FieldError[] {
  const errors = validateObjectMeta(metadata, { namespaced, validateName: strategy.validateName ?? dnsSubdomain });
  if (origin === "builtin" && !strategy.anyFinalizer)
    errors.push(...validateBuiltInFinalizers(metadata.finalizers ?? []));
  return errors;
}

/** Custom kinds accept any finalizer, with a warning about names without a domain. */
export function finalizerAdvice({ finalizers = [] }: ObjectMeta, { origin }: Resource, old?: ObjectMeta): string[] {
  if (origin !== "custom") return [];
  const had = new Set(old?.finalizers);
  return finalizers
    .filter((name) => !name.includes("/") && !had.has(name) && !serverFinalizers.has(name))
    .slice(0, maxComplaints)
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

const serverFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
