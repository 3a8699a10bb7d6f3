import { dns1035Label, dnsSubdomain } from "../../../../language/object/names.ts";
import {
  duplicate,
  invalid,
  notSupported,
  required,
  type FieldError,
} from "../../../../language/schema/field-error.ts";
import type { Webhook } from "../../admission/webhooks/webhook.ts";
import { clientConfigFaults } from "../../webhook-client/client-config-faults.ts";
import { validateSelector } from "../label-checks.ts";
import { validateMatchConditions, validateRule } from "./validate-matching.ts";

const failurePolicies = ["Fail", "Ignore"];
const matchPolicies = ["Equivalent", "Exact"];
const sideEffects = ["None", "NoneOnDryRun"];
const reinvocationPolicies = ["IfNeeded", "Never"];
const reviewVersions = ["v1", "v1beta1"];

export function validateWebhooks(webhooks: readonly Webhook[]): FieldError[] {
  const names = new Set<string>();
  return webhooks.flatMap((webhook, i) => {
    const path = `webhooks[${i}]`;
    const errors = [
      ...validateWebhook(webhook, path),
      ...validateReviewVersions(webhook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`),
    ];
    if (webhook.name && names.has(webhook.name)) errors.push(duplicate(`${path}.name`, webhook.name));
    names.add(webhook.name);
    return errors;
  });
}

function validateWebhook(webhook: Webhook, path: string): FieldError[] {
  const { timeoutSeconds = 10 } = webhook;
  return [
    ...validateName(webhook.name, `${path}.name`),
    ...(webhook.rules ?? []).flatMap((rule, i) => validateRule(rule, `${path}.rules[${i}]`)),
    ...oneOf(webhook.failurePolicy, failurePolicies, `${path}.failurePolicy`),
    ...oneOf(webhook.matchPolicy, matchPolicies, `${path}.matchPolicy`),
    ...(!webhook.sideEffects
      ? [required(`${path}.sideEffects`, `must specify one of ${sideEffects.join(", ")}`)]
      : oneOf(webhook.sideEffects, sideEffects, `${path}.sideEffects`)),
    ...(timeoutSeconds < 1 || timeoutSeconds > 30
      ? [invalid(`${path}.timeoutSeconds`, timeoutSeconds, "the timeout value must be between 1 and 30 seconds")]
      : []),
    ...validateSelector(webhook.namespaceSelector, `${path}.namespaceSelector`),
    ...validateSelector(webhook.objectSelector, `${path}.objectSelector`),
    ...oneOf(webhook.reinvocationPolicy, reinvocationPolicies, `${path}.reinvocationPolicy`),
    ...clientConfigFaults(webhook.clientConfig ?? {}, `${path}.clientConfig`),
    ...validateMatchConditions(webhook.matchConditions ?? [], `${path}.matchConditions`),
  ];
}

function validateName(name: string | undefined, path: string): FieldError[] {
  if (!name) return [required(path)];
  const reasons = dnsSubdomain(name);
  if (reasons.length > 0) return [invalid(path, name, reasons.join(","))];
  if (name.split(".").length >= 3) return [];
  return [invalid(path, name, "should be a domain with at least three segments separated by dots")];
}

function oneOf(value: string | undefined, allowed: readonly string[], path: string): FieldError[] {
  return value === undefined || allowed.includes(value) ? [] : [notSupported(path, value, allowed)];
}

function validateReviewVersions(versions: readonly string[], path: string): FieldError[] {
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return [required(path, `must specify one of ${known}`)];
  const errors: FieldError[] = [];
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(invalid(`${path}[${i}]`, version, "duplicate version"));
    else for (const reason of dns1035Label(version)) errors.push(invalid(`${path}[${i}]`, version, reason));
  }
  if (!versions.some((version) => reviewVersions.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${known}`));
  return errors;
}
