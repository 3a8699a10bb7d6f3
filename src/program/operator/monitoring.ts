import { tuningNamespace } from "../../domain/node-tuning/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { metricsPort, metricsService, operatorLabels, operatorName } from "./deployment.ts";

export const monitoringApiVersion = "monitoring.coreos.com/v1";

/** For the Prometheus operator. Names are those of the operator that Attune replaces. */
export function operatorMonitoring(namespace: string, isOpenShift: boolean, scylla = false): KubeObject[] {
  const metadata = { name: metricsService, namespace, labels: operatorLabels };
  return [
    ...(isOpenShift ? discoveryRights(namespace) : []),
    {
      apiVersion: monitoringApiVersion,
      kind: "ServiceMonitor",
      metadata,
      spec: {
        endpoints: [
          {
            targetPort: metricsPort,
            interval: "60s",
            path: "/metrics",
            ...(isOpenShift ? byServiceCa(namespace) : {}),
          },
        ],
        namespaceSelector: { matchNames: [namespace] },
        selector: { matchLabels: { name: metricsService } },
      },
    },
    {
      apiVersion: monitoringApiVersion,
      kind: "PrometheusRule",
      metadata,
      spec: {
        groups: [
          { name: "node-tuning.rules", rules: [customProfiles, ...alerts(namespace), ...(scylla ? scyllaAlerts : [])] },
        ],
      },
    },
  ];
}

/** Where OpenShift's Prometheus has the authority of its service CA, and its own certificate. */
function byServiceCa(namespace: string): object {
  return {
    scheme: "https",
    tlsConfig: {
      caFile: "/etc/prometheus/configmaps/serving-certs-ca-bundle/service-ca.crt",
      serverName: `${metricsService}.${namespace}.svc`,
      certFile: "/etc/prometheus/secrets/metrics-client-certs/tls.crt",
      keyFile: "/etc/prometheus/secrets/metrics-client-certs/tls.key",
    },
  };
}

/** OpenShift's Prometheus finds the pods of a Service only in namespaces that let it. */
function discoveryRights(namespace: string): KubeObject[] {
  const account = { namespace: "openshift-monitoring", name: "prometheus-k8s" };
  const metadata = { name: account.name, namespace, labels: operatorLabels };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account.name };
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata,
      rules: [{ apiGroups: [""], resources: ["services", "endpoints", "pods"], verbs: ["get", "list", "watch"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata,
      roleRef,
      subjects: [{ kind: "ServiceAccount", ...account }],
    },
  ];
}

const shippedProfiles = ["openshift", "openshift-control-plane", "openshift-node"];

const customProfiles = {
  record: "nto_custom_profiles:count",
  expr: `count by (_id) (nto_profile_calculated_total{profile!~"${shippedProfiles.join("|")}"})`,
};

/** All replicas export the same values: `max` counts them once. */
function alerts(namespace: string): object[] {
  const pods = `namespace=~"${namespace}|${tuningNamespace}",pod=~"tuned-.*|${operatorName}-.*"`;
  return [
    alert("NTOPodsNotReady", `kube_pod_status_ready{${pods},condition="true"} == 0`, "30m", {
      summary: "A pod of node tuning is not ready.",
      description: "Pod {{ $labels.pod }} has not been ready for 30 minutes. Its node may not be tuned.",
    }),
    alert("NTOPodLabelsUsed", "max(nto_pod_labels_used_info) == 1", "30m", {
      summary: "A Tuned matches labels of pods.",
      description:
        "The operator then evaluates every change of any pod, which is expensive on large clusters. Use labels of nodes.",
    }),
    alert("NTOInvalidTunedExist", "max(nto_invalid_tuned_exist_info) == 1", "30m", {
      summary: "A Tuned is not valid.",
      description: "The condition Valid of the Tuned has the reason: kubectl get tuneds -A",
    }),
    alert("NTODegraded", "max(nto_degraded_info) == 1", "2h", {
      summary: "Node tuning is degraded.",
      description: "The condition Degraded of the operator has the reason.",
    }),
  ];
}

const scyllaAlerts = [
  alert("AttuneScyllaDatabaseWaits", "max(attune_scylla_databases_waiting) > 0", "30m", {
    summary: "A Scylla database waits for its node to be tuned.",
    description:
      "{{ $value }} databases have not been allowed to start for 30 minutes. Conditions of their ScyllaNodeConfig and events of the pods have the reason.",
  }),
  alert("AttuneScyllaTuningFailed", 'max(attune_scylla_nodes{state="failed"}) > 0', "30m", {
    summary: "A node could not be tuned for its Scylla databases.",
    description:
      "The condition Degraded of the ScyllaNodeConfig names {{ $value }} nodes, with the end of each log, or why no Job can be created.",
  }),
];

function alert(name: string, expr: string, since: string, annotations: Record<string, string>): object {
  return { alert: name, expr, for: since, labels: { severity: "warning" }, annotations };
}
