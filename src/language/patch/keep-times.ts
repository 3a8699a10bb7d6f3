import { equal } from "../object/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../object/meta.ts";
import { withoutManagedFields } from "./managed-fields.ts";

/**
 * What `metadata.managedFields` of the object must be when it is stored: a write that changes nothing but the times of
 * entries changes nothing, and must not make a new version. To be asked last, after defaults and admission.
 */
export function keepTimesOfNoOp(before: KubeObject, after: KubeObject): ManagedFieldsEntry[] | undefined {
  const old = before.metadata.managedFields;
  const now = after.metadata.managedFields;
  if (old === undefined || now === undefined || old.length !== now.length) return now;
  if (!now.every((entry, i) => equal({ ...entry, time: "" }, { ...old[i], time: "" }))) return now;
  return equal(withoutManagedFields(before), withoutManagedFields(after)) ? old : now;
}
