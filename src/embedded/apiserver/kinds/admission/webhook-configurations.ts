import type { KubeObject } from "../../../../language/object/meta.ts";
import { webhooksIn, type Webhook } from "../../admission/webhooks/webhook.ts";
import type { Resource } from "../../resource.ts";
import { ageColumn, integerColumn, nameColumn } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { validateWebhooks } from "./validate-webhook.ts";

export const mutatingWebhookConfiguration = configurationKind("Mutating");
export const validatingWebhookConfiguration = configurationKind("Validating");

function configurationKind(type: "Mutating" | "Validating"): Resource {
  return defineKind({
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind: `${type}WebhookConfiguration`,
    plural: `${type.toLowerCase()}webhookconfigurations`,
    categories: ["api-extensions"],
    namespaced: false,
    columns: [nameColumn, integerColumn("Webhooks", (object) => webhooksIn(object).length), ageColumn],
    strategy: {
      hasGeneration: true,
      requiresVersion: true,
      defaults: (object) => {
        for (const webhook of webhooksIn(object)) setDefaults(webhook, type);
      },
      validate: (object: KubeObject) => validateWebhooks(webhooksIn(object)),
    },
  });
}

type Changeable = { -readonly [field in keyof Webhook]: Webhook[field] };

function setDefaults(webhook: Changeable, type: "Mutating" | "Validating"): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (type === "Mutating") webhook.reinvocationPolicy ??= "Never";
  if (webhook.rules) webhook.rules = webhook.rules.map((rule) => ({ ...rule, scope: rule.scope ?? "*" }));
  const { service } = webhook.clientConfig ?? {};
  if (service) webhook.clientConfig = { ...webhook.clientConfig, service: { ...service, port: service.port ?? 443 } };
}
