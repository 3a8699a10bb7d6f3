import { gateName } from "../../../domain/scylla/gate/gate-names.ts";
import { agentServiceAccount, nodeLabel, tuningNamespace } from "../../../domain/scylla/names.ts";
import { tuningNamespace as profilesNamespace } from "../../../domain/node-tuning/api.ts";
import { partitioningConfigMap } from "../../../domain/workload-partitioning/identifier.ts";
import { accountPolicy } from "../../../language/object/account-policy.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { operatorServiceAccount } from "../rbac.ts";

const nodeClaim = "authentication.kubernetes.io/node-name";
const ownNode = { name: "node", expression: `request.userInfo.?extra[?'${nodeClaim}'].orValue([''])[0]` };
/** Of a name that is longer than a label, the label has the beginning and a hash; then the node of the pod says more. */
const isLabelled = (object: string): string => {
  const label = `${object}.metadata.?labels[?'${nodeLabel}'].orValue('')`;
  const isShortened = `(size(variables.node) > 63 && ${label}.startsWith(variables.node.substring(0, 32)))`;
  return `(${label} == variables.node || ${isShortened})`;
};
const account = "s.kind == 'ServiceAccount' && s.?namespace.orValue('')";
const agent = `${account} == '${tuningNamespace}' && s.name == '${agentServiceAccount}'`;
const database = `${account} == request.namespace`;
/** A cluster role has no namespace. */
const isOfAgents = `(request.name == '${agentServiceAccount}' && request.?namespace.orValue('') in ['', '${tuningNamespace}'])`;
const releaseNames = "request.name.startsWith('perftune-')";

/**
 * Limit agents to ConfigMaps that let databases start and to Jobs of the node that their token is bound to, and the operator to the
 * roles of agents and gates. RBAC cannot: names are not known before, and it does not limit create to names. `namespace` is the operator's.
 */
export function scyllaPolicies(namespace: string): KubeObject[] {
  const agents = { namespace: tuningNamespace, name: agentServiceAccount };
  const operator = { namespace, name: operatorServiceAccount };
  const configMaps = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
  const elsewhere = [profilesNamespace, partitioningConfigMap.namespace].map(
    (name) => `request.namespace == '${name}'`,
  );
  return [
    ...accountPolicy("attune-scylla-agent-releases", {
      account: agents,
      rule: configMaps,
      variables: [ownNode],
      validations: [
        forbidden(releaseNames, "an agent may write only ConfigMaps named perftune-*"),
        // The gate of a pod on another node ignores it.
        forbidden(
          "request.operation != 'DELETE' && variables.node != '' && object.?data[?'node'].orValue('') == variables.node",
          "an agent may write only ConfigMaps that name its own node",
        ),
      ],
    }),
    ...accountPolicy("attune-scylla-agent-own-node", {
      account: agents,
      rule: { apiGroups: ["batch"], apiVersions: ["v1"], resources: ["jobs", "jobs/*"] },
      variables: [
        ownNode,
        { name: "job", expression: "request.operation == 'DELETE' ? oldObject : object" },
        { name: "before", expression: "request.operation == 'CREATE' ? object : oldObject" },
      ],
      validations: [
        forbidden("!has(request.subResource)", "an agent may not write the status of Jobs"),
        forbidden(
          [
            "variables.node != ''",
            isLabelled("variables.job"),
            isLabelled("variables.before"),
            "variables.job.spec.template.spec.?nodeName.orValue('') == variables.node",
          ].join(" && "),
          "an agent may write only Jobs of its own node",
        ),
      ],
    }),
    ...accountPolicy("attune-operator-scylla-releases", {
      account: operator,
      rule: configMaps,
      validations: [
        forbidden(
          [...elsewhere, releaseNames].join(" || "),
          "the operator may write only ConfigMaps named perftune-* there",
        ),
      ],
    }),
    ...accountPolicy("attune-operator-scylla-roles", {
      account: operator,
      rule: {
        apiGroups: ["rbac.authorization.k8s.io"],
        apiVersions: ["v1"],
        resources: ["clusterroles", "clusterrolebindings", "roles", "rolebindings"],
      },
      validations: [
        forbidden(
          `${isOfAgents} || (request.namespace != '${tuningNamespace}' && request.name.startsWith('${gateName}-'))`,
          "the operator may write only the roles of Scylla's agents and gates",
        ),
        forbidden(
          [
            `request.operation == 'DELETE' || ${isOfAgents} || !has(object.rules)`,
            "object.rules.all(r, size(r.?resourceNames.orValue([])) == 1 && r.verbs.all(v, v in ['get', 'list', 'watch']))",
          ].join(" || "),
          "the role of a gate may only read its pod and its ConfigMap",
        ),
        forbidden(
          [
            "request.operation == 'DELETE' || !has(object.subjects)",
            `(${isOfAgents} ? object.subjects.all(s, ${agent}) : object.subjects.all(s, ${database}) && object.roleRef.name == request.name)`,
          ].join(" || "),
          "the operator may bind only Scylla's agents, and accounts of databases to the roles of their gates",
        ),
      ],
    }),
  ];
}

function forbidden(expression: string, message: string): object {
  return { expression, message, reason: "Forbidden" };
}
