import { endpointConfigMap, firstBootNamespace, nodeAccount } from "../../../domain/rollout/first-boot/invitation.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { endpointKeys, issuerGrants } from "./rbac.ts";

const labels = { "app.kubernetes.io/part-of": "attune" };
/** On which the operator's pods listen. */
export const firstBootPort = 8443;
/** On every node, for machines that have no network of the cluster. */
const firstBootNodePort = 30623;
/** A role for users that issue tokens; no account has it. */
export const issuerRole = "attune:first-boot-issuer";

/** What the endpoint needs: the operator may create none of it. The namespace is not among it. */
export function firstBootObjects(): KubeObject[] {
  const place = (name: string): KubeObject["metadata"] => ({ name, namespace: firstBootNamespace, labels });
  return [
    // No pod runs here, and no token of the account is mounted anywhere.
    { apiVersion: "v1", kind: "ServiceAccount", metadata: place(nodeAccount), automountServiceAccountToken: false },
    { apiVersion: "v1", kind: "ConfigMap", metadata: place(endpointConfigMap) },
    { apiVersion: "v1", kind: "Secret", metadata: { ...endpointKeys, labels } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: place(issuerRole),
      rules: issuerGrants.map(({ apiGroups, resources, resourceNames, verbs }) => ({
        apiGroups,
        resources,
        ...(resourceNames ? { resourceNames } : {}),
        verbs,
      })),
    },
  ] as KubeObject[];
}

/** Reaches any replica: they all answer. */
export function firstBootService(namespace: string, selector: Readonly<Record<string, string>>): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "attune-first-boot", namespace, labels },
    spec: {
      type: "NodePort",
      selector,
      ports: [{ name: "https", port: 443, targetPort: firstBootPort, nodePort: firstBootNodePort, protocol: "TCP" }],
    },
  };
}
