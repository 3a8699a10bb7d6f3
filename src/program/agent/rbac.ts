import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { group, type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export const agentServiceAccount = "attune-agent";

/** All that a node's agent may do. That it does so for its own node alone, own-node-policies.ts holds it to. */
export function agentGrants(protocol: Protocol): Grant[] {
  const grants: Grant[] = [
    {
      within: tuningNamespace,
      because: "what its node should have; it asks for its own Profile only",
      apiGroups: [group],
      resources: ["profiles"],
      verbs: ["get", "list", "watch"],
    },
    {
      within: tuningNamespace,
      because: "tells how its node fares; a policy holds it to its own node",
      apiGroups: [group],
      resources: ["profiles/status"],
      verbs: ["patch"],
    },
    {
      within: tuningNamespace,
      because: "whether the DaemonSet that started it is still there",
      apiGroups: ["apps"],
      resources: ["daemonsets"],
      resourceNames: [agentDaemonSetName],
      verbs: ["get"],
    },
    {
      within: tuningNamespace,
      because: "OpenShift asks whether a pod that reaches into its node may",
      apiGroups: ["security.openshift.io"],
      resources: ["securitycontextconstraints"],
      resourceNames: ["privileged"],
      verbs: ["use"],
    },
  ];
  const node: Grant = {
    because:
      "under the shipped protocol boot arguments are reported in annotations of the Node; a policy holds it to its own, and to those",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["get", "patch"],
  };
  return protocol === "shipped" ? [...grants, node] : grants;
}

/** `namespace` is where its account lives. */
export function agentRbac(namespace: string, protocol: Protocol = "documented"): KubeObject[] {
  return rbacObjects("attune:agent", { namespace, name: agentServiceAccount }, agentGrants(protocol));
}
