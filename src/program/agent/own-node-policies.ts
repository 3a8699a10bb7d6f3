import { bootArgumentsAnnotation, group, inputsAnnotation } from "../../domain/node-tuning/api.ts";
import { writtenByAgent } from "../../domain/rollout/node-annotations.ts";
import { coresResource } from "../../domain/workload-partitioning/node/agent-cores.ts";
import { accountPolicy, type Restriction } from "../../language/object/account-policy.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type AgentDuties, agentServiceAccount } from "./rbac.ts";

const nodeClaim = "authentication.kubernetes.io/node-name";

/**
 * Restrict an agent to the node that its token is bound to: an attacker on one node cannot tune another. RBAC cannot, since
 * all agents share one ServiceAccount and roles name no node. `namespace` is that of the ServiceAccount.
 */
export function ownNodePolicies(namespace: string, duties: AgentDuties = {}): KubeObject[] {
  const { protocol = "documented", machineConfiguration = true } = duties;
  const profiles = policy("attune-agent-own-profile", namespace, {
    rule: { apiGroups: [group], apiVersions: ["*"], resources: ["profiles", "profiles/status"] },
    validations: [
      ownNode,
      {
        expression: "request.?subResource.orValue('') == 'status'",
        message: "an agent may write only the status of a Profile",
        reason: "Forbidden",
      },
    ],
  });
  const nodes = policy("attune-agent-own-node", namespace, {
    rule: { apiGroups: [""], apiVersions: ["v1"], resources: ["nodes", "nodes/*"] },
    validations: [ownNode, onlyReported({ protocol, machineConfiguration })],
  });
  return [...profiles, ...(protocol === "shipped" || machineConfiguration ? nodes : [])];
}

const ownNode = {
  expression: "variables.node != '' && request.name == variables.node",
  messageExpression: `variables.node == '' ? 'an agent needs a token that is bound to a node' : 'an agent on node ' + variables.node + ' may not write ' + request.name`,
  reason: "Forbidden",
};

const statusFields = [
  "addresses",
  "allocatable",
  "conditions",
  "config",
  "daemonEndpoints",
  "declaredFeatures",
  "features",
  "images",
  "nodeInfo",
  "phase",
  "runtimeHandlers",
  "volumesAttached",
  "volumesInUse",
];

/** Of the status only one entry of the capacity may change. */
const onlyCores = [
  "request.subResource == 'status'",
  ...statusFields.map((field) => `object.?status.?${field} == oldObject.?status.?${field}`),
  `variables.newCapacity.all(name, name == '${coresResource}' || (name in variables.oldCapacity && variables.oldCapacity[name] == variables.newCapacity[name]))`,
  `variables.oldCapacity.all(name, name == '${coresResource}' || name in variables.newCapacity)`,
].join(" && ");

/** Only the annotations of an update may change, and those of the shipped protocol. */
function onlyReported({ protocol, machineConfiguration = false }: AgentDuties): Restriction["validations"][number] {
  const shipped = protocol === "shipped" ? [bootArgumentsAnnotation, inputsAnnotation] : [];
  const names = [...(machineConfiguration ? writtenByAgent : []), ...shipped];
  const reported = `[${names.map((name) => `'${name}'`).join(", ")}]`;
  const expression = [
    "request.operation == 'UPDATE'",
    machineConfiguration ? `(!has(request.subResource) || (${onlyCores}))` : "!has(request.subResource)",
    "object.spec == oldObject.spec",
    ...["labels", "finalizers", "ownerReferences"].map(
      (field) => `object.metadata.?${field} == oldObject.metadata.?${field}`,
    ),
    `variables.after.all(name, name in ${reported} || (name in variables.before && variables.before[name] == variables.after[name]))`,
    `variables.before.all(name, name in ${reported} || name in variables.after)`,
  ].join(" && ");
  const message =
    "an agent may write only the annotations of a Node that report boot arguments and the state of its config, and the cores in its capacity";
  return { expression, message, reason: "Forbidden" };
}

function policy(name: string, namespace: string, of: Pick<Restriction, "rule" | "validations">): KubeObject[] {
  const variables = [
    { name: "node", expression: `request.userInfo.?extra[?'${nodeClaim}'].orValue([''])[0]` },
    { name: "before", expression: "has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}" },
    { name: "oldCapacity", expression: "oldObject.?status.?capacity.orValue({})" },
    { name: "newCapacity", expression: "object.?status.?capacity.orValue({})" },
    { name: "after", expression: "has(object.metadata.annotations) ? object.metadata.annotations : {}" },
  ];
  return accountPolicy(name, { account: { namespace, name: agentServiceAccount }, variables, ...of });
}
