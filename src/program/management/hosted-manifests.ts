import { copiesNamespace } from "../../domain/hosted/mirror/kubelet-copies.ts";
import { machineConfigCrds } from "../../domain/machine-config/crds.ts";
import { type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../domain/node-tuning/crds.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { namespaceObject } from "../../language/object/confinement.ts";
import { ownNodePolicies } from "../agent/own-node-policies.ts";
import { agentRbac } from "../agent/rbac.ts";

/**
 * What an operator and its agents need in a hosted cluster, in the order in which it must be applied: policies before the
 * rights that they limit. Users write profiles in the management cluster, so there are no PerformanceProfiles here.
 */
export function hostedManifests(protocol: Protocol): KubeObject[] {
  const duties = { protocol, machineConfiguration: true };
  return [
    namespaceObject(tuningNamespace, "privileged"),
    // OpenShift has it; copies of KubeletConfigs are there.
    namespaceObject(copiesNamespace, "restricted"),
    ...nodeTuningCrds,
    ...machineConfigCrds,
    ...ownNodePolicies(tuningNamespace, duties),
    ...agentRbac(tuningNamespace, duties),
  ];
}
