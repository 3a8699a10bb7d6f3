import type { AdmissionPlugin } from "./admission.ts";
import { builtinPlugins } from "./builtin/builtin-plugins.ts";
import { type PolicyDependencies, policyPlugins } from "./policies/policy-plugin.ts";
import { MutatingWebhooks } from "./webhooks/mutating-webhooks.ts";
import { ValidatingWebhooks } from "./webhooks/validating-webhooks.ts";
import type { WebhookDependencies } from "./webhooks/webhook.ts";

/** All admission plug-ins, in kube-apiserver's order. */
export function admissionPlugins(around: WebhookDependencies & PolicyDependencies): AdmissionPlugin[] {
  return [
    ...builtinPlugins(around.objects, around.authorizer),
    new MutatingWebhooks(around),
    ...policyPlugins(around),
    new ValidatingWebhooks(around),
  ];
}
