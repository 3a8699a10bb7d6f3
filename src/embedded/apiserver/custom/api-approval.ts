import { equal } from "../../../language/object/json.ts";
import { invalid, required, type FieldError } from "../../../language/schema/field-error.ts";
import type { Definition } from "./definition.ts";

const ANNOTATION = "api-approved.kubernetes.io";
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const POLICY = "see https://github.com/kubernetes/enhancements/pull/1111";
const PROTECTED = [".k8s.io", ".kubernetes.io"];

/** Groups that belong to Kubernetes want to know who allowed them, or that nobody did. */
export function validateApproval(definition: Definition, old?: Definition): FieldError[] {
  const errors = faults(definition);
  // A definition that was let in without approval may still be changed.
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
