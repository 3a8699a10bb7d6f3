import type { PersistentVolumeSpec } from "kubernetes-types/core/v1.js";
import { type FieldError, forbidden, required } from "../../../../language/schema/field-error.ts";
import { validateAccessModes } from "./access-modes.ts";
import { validateSources } from "./persistent-volume-validation.ts";

const unsaid = ["claimRef", "capacity", "nodeAffinity", "storageClassName"] as const;
const context = "in the context of inline volumes";

/** A volume that nobody claims, only described where it is attached: it is of a driver, and that is nearly all. */
export function validateInlineVolume(spec: PersistentVolumeSpec, at: string): FieldError[] {
  const { accessModes = [], csi, persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const errors: FieldError[] = [];
  for (const field of unsaid)
    if (isSaid(spec[field])) errors.push(forbidden(`${at}.${field}`, `may not be specified ${context}`));
  if (!csi) errors.push(required(`${at}.csi`, `has to be specified ${context}`));
  if (accessModes.length === 0) errors.push(required(`${at}.accessModes`));
  errors.push(...validateAccessModes(accessModes, `${at}.accessModes`));
  if (policy && policy !== "Retain")
    errors.push(forbidden(`${at}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`));
  if (volumeMode !== undefined && volumeMode !== "Filesystem")
    errors.push(forbidden(`${at}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`));
  for (const error of validateSources(spec)) errors.push({ ...error, field: at + error.field.slice("spec".length) });
  return errors;
}

const isSaid = (value: unknown): boolean =>
  typeof value === "object" ? Object.keys(value ?? {}).length > 0 : value !== undefined && value !== "";
