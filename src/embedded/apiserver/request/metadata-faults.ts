import type { ObjectMeta } from "../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../language/object/names.ts";
import { validateBuiltInFinalizers, validateObjectMeta } from "../../../language/object/validate-meta.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import type { Resource } from "../resource.ts";

/** What is wrong with the metadata of an object, whatever else it holds. */
export function metadataFaults(metadata: ObjectMeta, { namespaced, origin, strategy }: Resource): FieldError[] {
  const errors = validateObjectMeta(metadata, { namespaced, validateName: strategy.validateName ?? dnsSubdomain });
  if (origin === "builtin" && !strategy.anyFinalizer)
    errors.push(...validateBuiltInFinalizers(metadata.finalizers ?? []));
  return errors;
}

/** Custom kinds accept any finalizer, and are advised against one that others may choose too. */
export function finalizerAdvice({ finalizers = [] }: ObjectMeta, { origin }: Resource, old?: ObjectMeta): string[] {
  if (origin !== "custom") return [];
  return finalizers
    .filter((name) => !name.includes("/") && !old?.finalizers?.includes(name) && !ofTheServer.has(name))
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

const ofTheServer = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
