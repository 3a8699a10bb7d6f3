import { agentDaemonSetName } from "../../domain/node-tuning/agent-daemon-set.ts";
import { group as machineConfigGroup } from "../../domain/machine-config/api.ts";
import { group, type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { type Grant, rbacObjects } from "../../language/object/grant.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export const agentServiceAccount = "attune-agent";
/** Of its role, and of the binding. */
export const agentRole = "attune:agent";

export interface AgentDuties {
  /** Default documented. */
  readonly protocol?: Protocol | undefined;
  /** Whether it may bring machine configuration to its node. Default true. */
  readonly machineConfiguration?: boolean | undefined;
}

/** All permissions of the agent. own-node-policies.ts restricts them to its own node. */
export function agentGrants({ protocol = "documented", machineConfiguration = true }: AgentDuties): Grant[] {
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
  const shipped: Grant = {
    because:
      "reports boot arguments in annotations of the Node under the shipped protocol; a policy restricts it to its own node and to these annotations",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["get", "patch"],
  };
  return [
    ...grants,
    ...(protocol === "shipped" ? [shipped] : []),
    ...(machineConfiguration ? machineConfigurationGrants : []),
  ];
}

const machineConfigurationGrants: readonly Grant[] = [
  {
    because: "the config that the operator assigns to its own Node; it requests no other",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["list", "watch"],
  },
  {
    because:
      "reports the state of its config in annotations of the Node; a policy restricts it to its own node and to these annotations",
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["patch"],
  },
  {
    because:
      "adds the cores of a partitioned node to its capacity, which kubelets of Kubernetes do not; a policy restricts it to its own node and to this resource",
    apiGroups: [""],
    resources: ["nodes/status"],
    verbs: ["patch"],
  },
  {
    because: "the rendered config of its node",
    apiGroups: [machineConfigGroup],
    resources: ["machineconfigs"],
    verbs: ["get"],
  },
  {
    because: "which changes of a config need a restart, as the user decides",
    apiGroups: ["operator.openshift.io"],
    resources: ["machineconfigurations"],
    resourceNames: ["cluster"],
    verbs: ["get"],
  },
];

/** `namespace` is that of the ServiceAccount. */
export function agentRbac(namespace: string, duties: AgentDuties = {}): KubeObject[] {
  return rbacObjects(agentRole, { namespace, name: agentServiceAccount }, agentGrants(duties));
}
