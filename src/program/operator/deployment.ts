import { startupTaint } from "../../domain/rollout/startup/startup-taint.ts";
import type { AgentMounts } from "../../domain/node-tuning/agent-daemon-set.ts";
import type { Protocol } from "../../domain/node-tuning/api.ts";
import { confinedContainer, confinedPod, probesOn, spreadOverNodes } from "../../language/object/confinement.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { firstBootPort } from "./first-boot/objects.ts";
import { operatorServiceAccount, type RightsMode } from "./rbac.ts";

export interface OperatorDeployment {
  readonly namespace: string;
  /** Container image of the operator and of the agents. */
  readonly image: string;
  readonly mode: RightsMode;
  readonly protocol: Protocol;
  /** Which programs that profiles name the agents run. Default allow. */
  readonly agentExec?: string | undefined;
  /** Default follow. */
  readonly agentMounts?: AgentMounts | undefined;
  /** Version of the OpenShift release, if the operator is part of one. */
  readonly release?: string | undefined;
  readonly replicas: number;
  /** URL at which new nodes reach it for their first boot. Default: it serves none. */
  readonly firstBoot?: string | undefined;
  /** Of a new ScyllaOperatorConfig, where it tunes nodes of Scylla databases. */
  readonly scyllaUtilsImage?: string | undefined;
}

export const operatorName = "attune-operator";
export const probePort = 8080;
/** The Service, its port and the labels by which existing ServiceMonitors and dashboards find the metrics. */
export const metricsService = "node-tuning-operator";
export const metricsPort = 60000;
export const metricsSelector = { name: "cluster-node-tuning-operator" };
/** OpenShift's service CA creates it. */
export const metricsSecret = "node-tuning-operator-tls";
const certificates = "/etc/secrets";
export const operatorLabels = {
  "app.kubernetes.io/name": operatorName,
  "app.kubernetes.io/part-of": "attune",
};

export const operatorSelector = { "app.kubernetes.io/name": operatorName };

/** By default two replicas, so that the other can take over when a node fails. Leader election lets one act. */
export function operatorDeployment(options: OperatorDeployment): KubeObject {
  const {
    namespace,
    image,
    mode,
    protocol,
    agentExec = "allow",
    agentMounts = "follow",
    release,
    replicas,
    firstBoot,
    scyllaUtilsImage,
  } = options;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: operatorName, namespace, labels: operatorLabels },
    spec: {
      replicas,
      selector: { matchLabels: operatorSelector },
      template: {
        metadata: { labels: { ...operatorLabels, ...metricsSelector } },
        spec: {
          serviceAccountName: operatorServiceAccount,
          priorityClassName: "system-cluster-critical",
          ...placement(operatorSelector),
          securityContext: confinedPod,
          containers: [
            {
              name: "operator",
              image,
              command: ["attune", "operator"],
              args: [
                "--mode",
                mode,
                "--protocol",
                protocol,
                "--probe-address",
                `:${probePort}`,
                "--metrics-address",
                `:${metricsPort}`,
                "--metrics-certificates",
                certificates,
                "--agent-exec",
                agentExec,
                "--agent-mounts",
                agentMounts,
                ...(firstBoot === undefined
                  ? []
                  : ["--first-boot-address", `:${firstBootPort}`, "--first-boot-server", firstBoot]),
                ...(scyllaUtilsImage === undefined ? [] : ["--scylla-utils-image", scyllaUtilsImage]),
              ],
              env: [
                // Of the nodes of a pool, this one is updated last.
                { name: "NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
                { name: "CLUSTER_NODE_TUNED_IMAGE", value: image },
                ...(release === undefined ? [] : [{ name: "RELEASE_VERSION", value: release }]),
              ],
              ports: [
                { name: "probes", containerPort: probePort, protocol: "TCP" },
                { name: "metrics", containerPort: metricsPort, protocol: "TCP" },
                ...(firstBoot === undefined
                  ? []
                  : [{ name: "first-boot", containerPort: firstBootPort, protocol: "TCP" }]),
              ],
              volumeMounts: [{ name: metricsSecret, mountPath: certificates, readOnly: true }],
              ...probesOn("probes"),
              resources: { requests: { cpu: "10m", memory: "128Mi" } },
              securityContext: confinedContainer,
              terminationMessagePolicy: "FallbackToLogsOnError",
            },
          ],
          // Optional: other clusters have no service CA, and metrics are served over plain HTTP.
          volumes: [{ name: metricsSecret, secret: { secretName: metricsSecret, optional: true } }],
        },
      },
    },
  };
}

/** On different nodes, preferably of the control plane. */
function placement(matchLabels: Record<string, string>): object {
  const role = "node-role.kubernetes.io/control-plane";
  return {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: role, operator: "Exists" }] } },
        ],
      },
    },
    topologySpreadConstraints: spreadOverNodes(matchLabels),
    tolerations: [
      { key: role, operator: "Exists", effect: "NoSchedule" },
      { key: "node-role.kubernetes.io/master", operator: "Exists", effect: "NoSchedule" },
      // The operator removes this taint: it must not wait for that itself.
      { key: startupTaint.key, operator: "Exists", effect: "NoSchedule" },
      ...["not-ready", "unreachable"].map((state) => ({
        key: `node.kubernetes.io/${state}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 120,
      })),
    ],
  };
}

/** Headless, so that Prometheus scrapes every replica. Its port has no name, as in the manifest that it replaces. */
export function operatorMetricsService(namespace: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: metricsService,
      namespace,
      labels: { ...operatorLabels, name: metricsService },
      annotations: { "service.beta.openshift.io/serving-cert-secret-name": metricsSecret },
    },
    spec: {
      clusterIP: "None",
      selector: metricsSelector,
      ports: [{ port: metricsPort, targetPort: metricsPort, protocol: "TCP" }],
    },
  };
}
