import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { group as machineConfiguration } from "../../domain/machine-config/api.ts";
import { group as nodeTuning, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { group as performance } from "../../domain/performance-profile/api.ts";
import { configurationName } from "./registration.ts";

export const webhookServiceAccount = "attune-webhook";
export const webhookSecret = "attune-webhook-tls";

const configurations = {
  apiGroups: ["admissionregistration.k8s.io"],
  resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
};
const secrets = { apiGroups: [""], resources: ["secrets"] };

/** All rights of the webhook, which runs in `namespace`. */
export function webhookGrants(namespace: string): Grant[] {
  return [
    {
      because: "registers itself; RBAC cannot limit create to a name",
      ...configurations,
      verbs: ["create"],
    },
    {
      because: "only its own registration",
      ...configurations,
      resourceNames: [configurationName],
      verbs: ["get", "list", "watch", "patch", "delete"],
    },
    {
      because: "sets the conversion webhook of Attune's own CRDs",
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      verbs: ["get", "list", "watch", "patch"],
    },
    {
      because: "checks profiles against the nodes they select",
      apiGroups: [""],
      resources: ["nodes"],
      verbs: ["list", "watch"],
    },
    {
      because: "two profiles must not select the same nodes",
      apiGroups: [performance],
      resources: ["performanceprofiles"],
      verbs: ["list", "watch"],
    },
    {
      because: "profiles belong to pools; MachineConfigs may hold files that also partition CPUs",
      apiGroups: [machineConfiguration],
      resources: ["machineconfigpools", "machineconfigs"],
      verbs: ["list", "watch"],
    },
    {
      because: "whether CPU partitioning and mixed CPUs are enabled",
      apiGroups: ["config.openshift.io"],
      resources: ["infrastructures", "featuregates"],
      resourceNames: ["cluster"],
      verbs: ["list", "watch"],
    },
    {
      within: tuningNamespace,
      because: "agents report the hardware of nodes there",
      apiGroups: [nodeTuning],
      resources: ["profiles"],
      verbs: ["list", "watch"],
    },
    {
      within: tuningNamespace,
      because: "a Tuned may use profiles of others: a warning on apply says which do not exist",
      apiGroups: [nodeTuning],
      resources: ["tuneds"],
      verbs: ["list", "watch"],
    },
    {
      within: namespace,
      because: "its own keys; RBAC cannot limit create to a name",
      ...secrets,
      verbs: ["create"],
    },
    {
      within: namespace,
      because: "only its own keys",
      ...secrets,
      resourceNames: [webhookSecret],
      verbs: ["get", "list", "watch", "update"],
    },
  ];
}

/** `namespace` is where the webhook runs. */
export function webhookRbac(namespace: string): KubeObject[] {
  return rbacObjects("attune:webhook", { namespace, name: webhookServiceAccount }, webhookGrants(namespace));
}
