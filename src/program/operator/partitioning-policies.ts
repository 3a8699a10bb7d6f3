import {
  infrastructureKind,
  partitioningConfigMap,
  partitioningModes,
} from "../../domain/workload-partitioning/identifier.ts";
import { admissionPolicy } from "../../language/object/account-policy.ts";
import { type KubeObject, parseApiVersion } from "../../language/object/meta.ts";
import { operatorServiceAccount } from "./rbac.ts";

/**
 * Keep the decision of the installation: whether a cluster is partitioned. Nodes and pods that exist are not converted, so a
 * change afterwards would leave a cluster that is neither. Only the operator may set the mode, of a single node that was
 * partitioned before the identifier existed. `namespace` is that of the operator.
 */
export function partitioningPolicies(
  namespace: string,
  { infrastructures }: { readonly infrastructures: boolean },
): KubeObject[] {
  const { group, version } = parseApiVersion(infrastructureKind.apiVersion);
  const { plural } = infrastructureKind;
  return [
    ...(infrastructures
      ? admissionPolicy("attune-partitioning-infrastructure", {
          rule: { apiGroups: [group], apiVersions: [version], resources: [plural, `${plural}/status`] },
          matchConditions: [{ name: "decided", expression: "request.operation != 'CREATE' && has(oldObject.status)" }],
          variables: variablesOf("status", ""),
          validations: [keptMode("status.cpuPartitioning", `variables.before == '' || ${isMigration(namespace)}`)],
        })
      : []),
    ...admissionPolicy(partitioningConfigMap.name, {
      rule: { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
      matchConditions: [
        { name: "namespace", expression: `request.namespace == '${partitioningConfigMap.namespace}'` },
        { name: "name", expression: `${named}.metadata.name == '${partitioningConfigMap.name}'` },
      ],
      variables: variablesOf("data", "None"),
      validations: [keptMode("data.cpuPartitioning", `${isMigration(namespace)} || ${isUninstall}`), knownMode],
    }),
  ];
}

const named = "(request.operation == 'DELETE' ? oldObject : object)";

/** `undecided`: the mode of an object that does not say it. An object that does not exist has none either. */
function variablesOf(place: "status" | "data", undecided: string): { name: string; expression: string }[] {
  const read = (object: string, key: string, fallback: string): string =>
    `${object}.?${place}.?${key}.orValue('${fallback}')`;
  return [
    {
      name: "before",
      expression: `request.operation == 'CREATE' ? '${undecided}' : ${read("oldObject", "cpuPartitioning", undecided)}`,
    },
    {
      name: "after",
      expression: `request.operation == 'DELETE' ? '${undecided}' : ${read("object", "cpuPartitioning", undecided)}`,
    },
    {
      name: "isSingleNode",
      expression: `request.operation == 'UPDATE' && ${["oldObject", "object"]
        .map((object) => `${read(object, "controlPlaneTopology", "")} == 'SingleReplica'`)
        .join(" && ")}`,
    },
  ];
}

function isMigration(namespace: string): string {
  const operator = `system:serviceaccount:${namespace}:${operatorServiceAccount}`;
  return `(variables.isSingleNode && variables.before == 'None' && variables.after == 'AllNodes' && request.userInfo.username == '${operator}')`;
}

/** The namespace goes with all that is in it, which `kubectl delete` of the manifests deletes one by one. */
const isUninstall = "(request.operation == 'DELETE' && has(namespaceObject.metadata.deletionTimestamp))";

const shown = (mode: "before" | "after"): string => `(variables.${mode} == '' ? 'None' : variables.${mode})`;
const loses = "request.operation == 'DELETE' && variables.before == 'None'";

function keptMode(field: string, exception: string): object {
  return {
    expression: `variables.after == variables.before || ${exception}`,
    messageExpression: `'${field}: ' + (${loses} ? 'None could become AllNodes if this object were created anew' : ${shown("before")} + ' cannot become ' + ${shown("after")}) + ': CPU partitioning is decided when a cluster is installed'`,
    reason: "Forbidden",
  };
}

const knownMode = {
  expression: `variables.after in [${partitioningModes.map((mode) => `'${mode}'`).join(", ")}]`,
  message: `data.cpuPartitioning: must be one of ${partitioningModes.join(", ")}`,
  reason: "Invalid",
};
