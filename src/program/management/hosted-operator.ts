import { kinds } from "../../cluster/kube/kinds.ts";
import type { OperatorPlace } from "../../domain/node-pool/hosted-cluster/hosted-cluster-controller.ts";
import { versionOfCluster } from "../../domain/node-pool/release.ts";
import { type Protocol, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { confinedContainer, confinedPod, probesOn } from "../../language/object/confinement.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import {
  metricsPort,
  metricsSecret,
  metricsSelector,
  metricsService,
  operatorLabels,
  operatorName,
  operatorSelector,
  probePort,
} from "../operator/deployment.ts";
import { monitoringApiVersion } from "../operator/monitoring.ts";
import { operatorServiceAccount } from "../operator/rbac.ts";
import { hostedOperatorRole } from "./rbac.ts";

export interface HostedOperatorOptions {
  readonly image: string;
  readonly protocol: Protocol;
  /** Whether the management cluster has the kinds of the Prometheus operator. */
  readonly hasMonitoring: boolean;
}

/** What runs the operator of a hosted cluster in its control plane namespace. */
export function hostedOperatorObjects(place: OperatorPlace, options: HostedOperatorOptions): KubeObject[] {
  const { namespace } = place;
  const account = { namespace, name: operatorServiceAccount };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { ...account, labels: operatorLabels } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: hostedOperatorRole, namespace, labels: operatorLabels },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: hostedOperatorRole },
      subjects: [{ kind: "ServiceAccount", ...account }],
    },
    {
      apiVersion: "v1",
      kind: kinds.service.kind,
      metadata: { name: metricsService, namespace, labels: { ...operatorLabels, name: metricsService } },
      spec: {
        selector: metricsSelector,
        ports: [{ port: metricsPort, targetPort: metricsPort, protocol: "TCP" }],
      },
    },
    ...(options.hasMonitoring ? [serviceMonitor(namespace)] : []),
    deployment(place, options),
  ];
}

function serviceMonitor(namespace: string): KubeObject {
  return {
    apiVersion: monitoringApiVersion,
    kind: "ServiceMonitor",
    metadata: { name: metricsService, namespace, labels: operatorLabels },
    spec: {
      endpoints: [{ targetPort: metricsPort, interval: "60s", path: "/metrics" }],
      namespaceSelector: { matchNames: [namespace] },
      selector: { matchLabels: { name: metricsService } },
    },
  };
}

const certificates = "/etc/secrets";
const kubeconfigs = "/etc/kubernetes";

/** One replica: the hosted cluster has its Lease, and a control plane runs for each hosted cluster. */
function deployment(
  { hostedCluster, namespace, kubeconfig }: OperatorPlace,
  options: HostedOperatorOptions,
): KubeObject {
  const { image, protocol } = options;
  const own = (fieldPath: string): object => ({ valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } });
  return {
    apiVersion: "apps/v1",
    kind: kinds.deployment.kind,
    metadata: { name: operatorName, namespace, labels: operatorLabels },
    spec: {
      replicas: 1,
      revisionHistoryLimit: 2,
      selector: { matchLabels: operatorSelector },
      template: {
        metadata: {
          labels: { ...operatorLabels, ...metricsSelector },
          annotations: { "rollout.attune.dev/kubeconfig": kubeconfig.digest },
        },
        spec: {
          serviceAccountName: operatorServiceAccount,
          securityContext: confinedPod,
          containers: [
            {
              name: "operator",
              image,
              command: ["attune", "operator"],
              args: [
                "--protocol",
                protocol,
                "--probe-address",
                `:${probePort}`,
                "--metrics-address",
                `:${metricsPort}`,
                "--metrics-certificates",
                certificates,
              ],
              env: [
                // By it the operator knows its mode.
                { name: "HYPERSHIFT", value: "true" },
                { name: "KUBECONFIG", value: `${kubeconfigs}/kubeconfig` },
                { name: "MY_NAMESPACE", ...own("metadata.namespace") },
                { name: "POD_NAME", ...own("metadata.name") },
                { name: "WATCH_NAMESPACE", value: tuningNamespace },
                { name: "RELEASE_VERSION", value: versionOfCluster(hostedCluster) },
                { name: "CLUSTER_NODE_TUNED_IMAGE", value: image },
              ],
              ports: [
                { name: "probes", containerPort: probePort, protocol: "TCP" },
                { name: "metrics", containerPort: metricsPort, protocol: "TCP" },
              ],
              volumeMounts: [
                { name: metricsSecret, mountPath: certificates, readOnly: true },
                { name: "kubeconfig", mountPath: kubeconfigs, readOnly: true },
              ],
              ...probesOn("probes"),
              // What users of the hosted cluster store there must not use up the memory of others: five thousand nodes need a quarter.
              resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "1Gi" } },
              securityContext: confinedContainer,
              terminationMessagePolicy: "FallbackToLogsOnError",
            },
          ],
          volumes: [
            // Optional: without it, metrics are served over plain HTTP.
            { name: metricsSecret, secret: { secretName: metricsSecret, optional: true } },
            { name: "kubeconfig", secret: { secretName: kubeconfig.secret } },
          ],
        },
      },
    },
  };
}
