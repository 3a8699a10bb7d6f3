import type { AdmissionPlugin } from "./admission.ts";
import { builtinPlugins } from "./builtin/builtin-plugins.ts";
import type { PolicyDependencies } from "./policies/policy-plugin.ts";
import { policyPlugins } from "./policies/policy-plugins.ts";
import { MutatingWebhooks } from "./webhooks/mutating-webhooks.ts";
import { ValidatingWebhooks } from "./webhooks/validating-webhooks.ts";
import type { WebhookDependencies } from "./webhooks/webhook-dependencies.ts";

/** Every opinion on writes, in the order in which kube-apiserver asks for them. */
export function admissionPlugins(around: WebhookDependencies & PolicyDependencies): AdmissionPlugin[] {
  return [
    ...builtinPlugins(around.objects, around.authorizer),
    new MutatingWebhooks(around),
    ...policyPlugins(around),
    new ValidatingWebhooks(around),
  ];
}
