import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { pathSegment } from "../../../../language/object/names.ts";
import { duplicate, type FieldError, invalid, notSupported } from "../../../../language/schema/field-error.ts";
import type { Rule } from "../../admission/match/rules.ts";
import { validateSelector } from "../label-checks.ts";
import { validateRule } from "./validate-matching.ts";

/** `MatchResources` of policies and bindings: the requests they apply to. */
export interface MatchResources {
  resourceRules?: Writable<Rule>[];
  excludeResourceRules?: Writable<Rule>[];
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export function defaultMatchResources(match: MatchResources | undefined): void {
  if (!match) return;
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= "*";
}

export function validateMatchResources(match: MatchResources | undefined, field: string): FieldError[] {
  if (!match) return [];
  const errors: FieldError[] = [];
  if (!matchPolicies.includes(match.matchPolicy ?? ""))
    errors.push(notSupported(`${field}.matchPolicy`, match.matchPolicy, matchPolicies));
  errors.push(...validateSelector(match.namespaceSelector, `${field}.namespaceSelector`));
  errors.push(...validateSelector(match.objectSelector, `${field}.objectSelector`));
  for (const part of ["resourceRules", "excludeResourceRules"] as const)
    for (const [index, rule] of (match[part] ?? []).entries()) {
      const at = `${field}.${part}[${index}]`;
      errors.push(...validateNames(rule.resourceNames ?? [], `${at}.resourceNames`), ...validateRule(rule, at));
    }
  return errors;
}

const matchPolicies = ["Equivalent", "Exact"];

function validateNames(names: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, name] of names.entries()) {
    for (const reason of pathSegment(name)) errors.push(invalid(`${field}[${index}]`, name, reason));
    if (names.indexOf(name) < index) errors.push(duplicate(`${field}[${index}]`, name));
  }
  return errors;
}
