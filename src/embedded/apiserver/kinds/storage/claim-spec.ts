import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.js";
import { clone } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../../language/object/names.ts";
import { compareQuantities, parseQuantity } from "../../../../language/object/quantity.ts";
import { type FieldError, invalid, notSupported, required } from "../../../../language/schema/field-error.ts";
import { validateAccessModes } from "./access-modes.ts";
import { validateSelector } from "../label-checks.ts";

/** With fields that `kubernetes-types` does not have yet. */
type Spec = PersistentVolumeClaimSpec & { volumeAttributesClassName?: string };
type Source = NonNullable<Spec["dataSource"]>;

/** Defaults of a claim and of a volumeClaimTemplate. */
export function defaultClaim(claim: PersistentVolumeClaim): void {
  const spec = claim.spec as Spec;
  spec.volumeMode ??= "Filesystem";
  const status = ((claim as unknown as KubeObject).status ??= {}) as { phase?: string };
  status.phase ??= "Pending";
}

/** Keeps dataSource and dataSourceRef consistent. */
export function alignSources(spec: Spec): void {
  // dataSource supports only two kinds, others are dropped from it; each field sets the other if only one is given.
  if (spec.dataSource && !isKnownSource(spec.dataSource)) delete spec.dataSource;
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = clone(spec.dataSource);
  else if (spec.dataSourceRef && !spec.dataSource && !(spec.dataSourceRef as { namespace?: string }).namespace)
    spec.dataSource = clone(spec.dataSourceRef);
}

function isKnownSource({ apiGroup, kind }: Source): boolean {
  return (
    (kind === "PersistentVolumeClaim" && !apiGroup) ||
    (kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io")
  );
}

export function validateClaimSpec(spec: Spec, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.accessModes ?? []).length === 0)
    errors.push(required(`${at}.accessModes`, "at least 1 access mode is required"));
  errors.push(...validateSelector(spec.selector, `${at}.selector`));
  errors.push(...validateAccessModes(spec.accessModes ?? [], `${at}.accessModes`));
  const size = spec.resources?.requests?.storage;
  if (size === undefined) errors.push(required(`${at}.resources[storage]`));
  else if (compareQuantities(parseQuantity(size), parseQuantity("0")) <= 0)
    errors.push(invalid(`${at}.resources[storage]`, size, "must be greater than zero"));
  for (const field of ["storageClassName", "volumeAttributesClassName"] as const)
    if (spec[field])
      for (const reason of dnsSubdomain(spec[field])) errors.push(invalid(`${at}.${field}`, spec[field], reason));
  if (spec.volumeMode !== undefined && spec.volumeMode !== "Block" && spec.volumeMode !== "Filesystem")
    errors.push(notSupported(`${at}.volumeMode`, spec.volumeMode, ["Block", "Filesystem"]));
  for (const field of ["dataSource", "dataSourceRef"] as const)
    if (spec[field]) errors.push(...validateSource(spec[field], `${at}.${field}`));
  return errors;
}

function validateSource({ apiGroup, kind, name }: Source, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${at}.name`));
  if (!kind) errors.push(required(`${at}.kind`));
  if (!apiGroup && kind !== "PersistentVolumeClaim")
    errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  return errors;
}
