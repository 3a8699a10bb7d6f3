import { bootArgumentsAnnotation, group, inputsAnnotation, type Protocol } from "../../domain/node-tuning/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { agentServiceAccount } from "./rbac.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const nodeClaim = "authentication.kubernetes.io/node-name";

/**
 * Rights go by kinds and names that are known beforehand, and all agents share one account. That an agent speaks for its
 * own node alone is held by the node its token was made for: a node that fell into wrong hands steers no other.
 * `namespace` is where the account lives.
 */
export function ownNodePolicies(namespace: string, protocol: Protocol = "documented"): KubeObject[] {
  const profiles = policy("attune-agent-own-profile", namespace, {
    rule: { apiGroups: [group], apiVersions: ["*"], resources: ["profiles", "profiles/status"] },
    validations: [
      ownNode,
      {
        expression: "request.?subResource.orValue('') == 'status'",
        message: "an agent writes the status of a Profile and nothing else",
        reason: "Forbidden",
      },
    ],
  });
  const nodes = policy("attune-agent-own-node", namespace, {
    rule: { apiGroups: [""], apiVersions: ["v1"], resources: ["nodes", "nodes/*"] },
    validations: [ownNode, onlyReported],
  });
  return [...profiles, ...(protocol === "shipped" ? nodes : [])];
}

const ownNode = {
  expression: "variables.node != '' && request.name == variables.node",
  messageExpression: `variables.node == '' ? 'an agent needs a token that was made for a node' : 'an agent on node ' + variables.node + ' may not write of ' + request.name`,
  reason: "Forbidden",
};

const reported = `['${bootArgumentsAnnotation}', '${inputsAnnotation}']`;

/** Of a Node only what the shipped protocol reports there. Its status has other writers, and its own right. */
const onlyReported = {
  expression: [
    "request.operation == 'UPDATE'",
    "!has(request.subResource)",
    "object.spec == oldObject.spec",
    ...["labels", "finalizers", "ownerReferences"].map(
      (field) => `object.metadata.?${field} == oldObject.metadata.?${field}`,
    ),
    `variables.after.all(name, name in ${reported} || (name in variables.before && variables.before[name] == variables.after[name]))`,
    `variables.before.all(name, name in ${reported} || name in variables.after)`,
  ].join(" && "),
  message: "an agent writes what it reports of boot arguments and nothing else",
  reason: "Forbidden",
};

interface Held {
  readonly rule: object;
  readonly validations: readonly object[];
}

function policy(name: string, namespace: string, { rule, validations }: Held): KubeObject[] {
  const labels = { "app.kubernetes.io/part-of": "attune" };
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name, labels },
      spec: {
        failurePolicy: "Fail",
        // Owned as one: what is left out and set by the server would be taken away, and set again, by every apply.
        matchConstraints: {
          resourceRules: [{ ...rule, operations: ["CREATE", "UPDATE", "DELETE"], scope: "*" }],
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
        },
        matchConditions: [
          {
            name: "agents",
            expression: `request.userInfo.username == 'system:serviceaccount:${namespace}:${agentServiceAccount}'`,
          },
        ],
        variables: [
          { name: "node", expression: `request.userInfo.?extra[?'${nodeClaim}'].orValue([''])[0]` },
          { name: "before", expression: "has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}" },
          { name: "after", expression: "has(object.metadata.annotations) ? object.metadata.annotations : {}" },
        ],
        validations,
      },
    },
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name, labels },
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}
