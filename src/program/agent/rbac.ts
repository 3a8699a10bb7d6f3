import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { group, type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export const agentServiceAccount = "attune-agent";
/** Of its role, and of the binding. */
export const agentRole = "attune:agent";

/** All permissions of the agent. own-node-policies.ts restricts them to its own node. */
export function agentGrants(protocol: Protocol): Grant[] {
  const grants: Grant[] = [
    {
      within: tuningNamespace,
      because: "the Profile of its node; it requests no other",
      apiGroups: [group],
      resources: ["profiles"],
      verbs: ["get", "list", "watch"],
    },
    {
      within: tuningNamespace,
      because: "reports the status of its node; a policy restricts it to its own node",
      apiGroups: [group],
      resources: ["profiles/status"],
      verbs: ["patch"],
    },
    {
      within: tuningNamespace,
      because: "whether the DaemonSet that started it still exists",
      apiGroups: ["apps"],
      resources: ["daemonsets"],
      resourceNames: [agentDaemonSetName],
      verbs: ["get"],
    },
    {
      within: tuningNamespace,
      because: "whether its namespace is being deleted",
      apiGroups: [""],
      resources: ["namespaces"],
      resourceNames: [tuningNamespace],
      verbs: ["get"],
    },
    {
      within: tuningNamespace,
      because: "whether its own ServiceAccount was deleted: then it has no token to ask with",
      apiGroups: [""],
      resources: ["serviceaccounts"],
      resourceNames: [agentServiceAccount],
      verbs: ["list", "watch"],
    },
    {
      within: tuningNamespace,
      because: "OpenShift requires it for privileged pods",
      apiGroups: ["security.openshift.io"],
      resources: ["securitycontextconstraints"],
      resourceNames: ["privileged"],
      verbs: ["use"],
    },
  ];
  const node: Grant = {
    because:
      "reports boot arguments in annotations of the Node under the shipped protocol; a policy restricts it to its own node and to these annotations",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["get", "patch"],
  };
  return protocol === "shipped" ? [...grants, node] : grants;
}

/** `namespace` is that of the ServiceAccount. */
export function agentRbac(namespace: string, protocol: Protocol = "documented"): KubeObject[] {
  return rbacObjects(agentRole, { namespace, name: agentServiceAccount }, agentGrants(protocol));
}
