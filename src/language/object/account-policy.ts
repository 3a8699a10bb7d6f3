import type { KubeObject } from "./meta.ts";

const apiVersion = "admissionregistration.k8s.io/v1";

/** What a ServiceAccount may write, more narrowly than RBAC can say it. */
export interface Restriction {
  readonly account: { readonly namespace: string; readonly name: string };
  readonly rule: object;
  readonly variables?: readonly object[];
  readonly validations: readonly object[];
}

/** A ValidatingAdmissionPolicy for the writes of one ServiceAccount, and its binding. */
export function accountPolicy(name: string, { account, ...rest }: Restriction): KubeObject[] {
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
  return admissionPolicy(name, {
    matchConditions: [{ name: "account", expression: `request.userInfo.username == '${user}'` }],
    ...rest,
  });
}

export interface AdmissionPolicy extends Omit<Restriction, "account"> {
  readonly matchConditions: readonly object[];
}

/** A ValidatingAdmissionPolicy for all writes that match, and its binding. */
export function admissionPolicy(
  name: string,
  { rule, matchConditions, variables, validations }: AdmissionPolicy,
): KubeObject[] {
  const labels = { "app.kubernetes.io/part-of": "attune" };
  return [
    {
      apiVersion,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name, labels },
      spec: {
        failurePolicy: "Fail",
        // With all defaults: fields that the API server defaults would be removed and set again by every apply.
        matchConstraints: {
          resourceRules: [{ ...rule, operations: ["CREATE", "UPDATE", "DELETE"], scope: "*" }],
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
        },
        matchConditions,
        ...(variables ? { variables } : {}),
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
