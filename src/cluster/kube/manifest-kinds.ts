import type { KubeObject } from "../../language/object/meta.ts";
import type { KindRef } from "./client.ts";
import { kinds, untyped } from "./kinds.ts";

const admission = "admissionregistration.k8s.io/v1";
const monitoring = "monitoring.coreos.com/v1";

/** Of the Prometheus operator. */
export const serviceMonitorKind = untyped(monitoring, "ServiceMonitor", "servicemonitors", true);

const refs = new Map<string, KindRef>(
  [
    kinds.customResourceDefinition,
    kinds.namespace,
    kinds.serviceAccount,
    kinds.role,
    kinds.roleBinding,
    kinds.clusterRole,
    kinds.clusterRoleBinding,
    kinds.service,
    kinds.secret,
    kinds.configMap,
    kinds.mutatingWebhookConfiguration,
    kinds.validatingWebhookConfiguration,
    kinds.deployment,
    untyped(admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", false),
    untyped(admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", false),
    untyped("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", true),
    serviceMonitorKind,
    untyped(monitoring, "PrometheusRule", "prometheusrules", true),
  ].map((ref) => [ref.kind, ref]),
);

/** The kind of an object that Attune installs. */
export function kindOf({ kind, metadata }: KubeObject): KindRef {
  const ref = refs.get(kind);
  if (!ref) throw new Error(`apply ${kind} ${metadata.name}: attune install has no such kind`);
  return ref;
}
