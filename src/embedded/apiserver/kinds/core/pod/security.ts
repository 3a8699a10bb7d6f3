import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.js";
import { duplicate, type FieldError, invalid, required } from "../../../../../language/schema/field-error.ts";
import { between, maxInt32 } from "../../bounds.ts";

const id = (value: number | undefined, field: string): FieldError[] => between(value, 0, maxInt32, field);

export function validateSecurityContext(context: SecurityContext | undefined, at: string): FieldError[] {
  if (!context) return [];
  const errors = [...id(context.runAsUser, `${at}.runAsUser`), ...id(context.runAsGroup, `${at}.runAsGroup`)];
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged)
      errors.push(invalid(at, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN"))
      errors.push(
        invalid(at, context, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"),
      );
  }
  return errors;
}

export function validatePodSecurityContext(context: PodSecurityContext | undefined, at: string): FieldError[] {
  if (!context) return [];
  return [
    ...id(context.fsGroup, `${at}.fsGroup`),
    ...id(context.runAsUser, `${at}.runAsUser`),
    ...id(context.runAsGroup, `${at}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((group, index) => id(group, `${at}.supplementalGroups[${index}]`)),
    ...validateSysctls(context.sysctls ?? [], `${at}.sysctls`),
  ];
}

const sysctlName = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

function validateSysctls(sysctls: readonly { name: string }[], at: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, { name }] of sysctls.entries()) {
    const field = `${at}[${index}].name`;
    if (!name) errors.push(required(field));
    else if (name.length > 253 || !sysctlName.test(name))
      errors.push(
        invalid(
          field,
          name,
          "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
        ),
      );
    else if (names.has(name.replaceAll("/", "."))) errors.push(duplicate(field, name));
    names.add(name.replaceAll("/", "."));
  }
  return errors;
}
