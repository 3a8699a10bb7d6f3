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

/** All that the webhook may do. `namespace` is where it runs. */
export function webhookGrants(namespace: string): Grant[] {
  return [
    {
      because: "registers itself; a name cannot be held to before there is one",
      ...configurations,
      verbs: ["create"],
    },
    {
      because: "its own registration, and no other",
      ...configurations,
      resourceNames: [configurationName],
      verbs: ["get", "list", "watch", "patch", "delete"],
    },
    {
      because: "says in the definitions of Attune's kinds who converts them",
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      verbs: ["get", "list", "watch", "patch"],
    },
    {
      because: "profiles are held against the nodes that they are for",
      apiGroups: [""],
      resources: ["nodes"],
      verbs: ["list", "watch"],
    },
    {
      because: "no two profiles may be for the same nodes",
      apiGroups: [performance],
      resources: ["performanceprofiles"],
      verbs: ["list", "watch"],
    },
    {
      because: "profiles lead to pools; of MachineConfigs the names of files that divide CPUs as well are kept",
      apiGroups: [machineConfiguration],
      resources: ["machineconfigpools", "machineconfigs"],
      verbs: ["list", "watch"],
    },
    {
      because: "say whether the cluster is partitioned, and what pods may ask for",
      apiGroups: ["config.openshift.io"],
      resources: ["infrastructures", "featuregates"],
      resourceNames: ["cluster"],
      verbs: ["list", "watch"],
    },
    {
      within: tuningNamespace,
      because: "say what nodes are made of",
      apiGroups: [nodeTuning],
      resources: ["profiles"],
      verbs: ["list", "watch"],
    },
    {
      within: namespace,
      because: "its own keys; a name cannot be held to before there is one",
      ...secrets,
      verbs: ["create"],
    },
    {
      within: namespace,
      because: "its own keys, and no other Secret",
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
