import type { KubeObject } from "../../../language/object/meta.ts";
import { agentEnvironment } from "../../node-tuning/agent-daemon-set.ts";
import type { ScyllaNodeConfig } from "../api.ts";
import { labelValue } from "../label-value.ts";
import { agentDaemonSetName, agentServiceAccount, nodeConfigLabel, tuningNamespace } from "../names.ts";
import { agentTolerations } from "../placement.ts";

export interface AgentTemplate {
  /** Container image of the agents, and of Jobs with the engine `native`. */
  readonly image: string;
  /** Of the operator. Agents follow it. */
  readonly version: string;
  /** With the script of the engine `perftune`. */
  readonly utilsImage?: string | undefined;
}

/** The fields of the DaemonSet that are read. */
export interface AgentDaemonSet extends KubeObject {
  status?: {
    observedGeneration?: number;
    desiredNumberScheduled?: number;
    currentNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberReady?: number;
    numberAvailable?: number;
  };
}

/** Of the DaemonSet, when its template last changed; pods have it as a label. */
export const generationAnnotation = "deprecated.daemonset.template.generation";
export const generationLabel = "pod-template-generation";

/**
 * Of the node's loopback: nothing beyond the node reaches it. Agents of overlapping configs share it: the second serves none, and
 * the first answers for both.
 */
const probes = { host: "127.0.0.1", port: 19258 };

/** Of the node's ledger. Its lock is in /run, which is a mount of its own: read-only mounts do not pass that on. */
const originalsFolder = "/var/lib/attune";

const name = { "app.kubernetes.io/name": "attune-scylla-agent" };

/** The agents of a ScyllaNodeConfig. It is deleted with the config. */
export function agentDaemonSet(
  { apiVersion, kind, metadata, spec }: ScyllaNodeConfig,
  template: AgentTemplate,
): KubeObject {
  const { name: config = "", uid = "" } = metadata;
  const { placement = {} } = spec ?? {};
  const { image, version, utilsImage } = template;
  const selector = { ...name, [nodeConfigLabel]: labelValue(config) };
  const labels = { ...selector, "app.kubernetes.io/part-of": "attune" };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: {
      name: agentDaemonSetName(config),
      namespace: tuningNamespace,
      labels,
      ownerReferences: [{ apiVersion, kind, name: config, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      selector: { matchLabels: selector },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
      template: {
        metadata: { labels: { ...labels, "app.kubernetes.io/version": version } },
        spec: {
          serviceAccountName: agentServiceAccount,
          priorityClassName: "system-node-critical",
          nodeSelector: placement.nodeSelector ?? {},
          ...(placement.affinity && Object.keys(placement.affinity).length > 0 ? { affinity: placement.affinity } : {}),
          tolerations: agentTolerations(placement),
          // The names of interfaces, and the resolver, are the node's.
          hostNetwork: true,
          terminationGracePeriodSeconds: 30,
          containers: [
            {
              name: "agent",
              image,
              command: [
                "attune",
                "scylla-agent",
                "--node",
                "$(NODE_NAME)",
                "--config",
                config,
                "--root",
                "/host",
                "--image",
                image,
                ...(utilsImage ? ["--utils-image", utilsImage] : []),
                "--probe-address",
                `${probes.host}:${probes.port}`,
              ],
              env: [
                { name: "NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
                ...agentEnvironment,
              ],
              resources: { requests: { cpu: "10m", memory: "50Mi" } },
              // It reads cgroups and the container runtime's socket, which are root's. Only Jobs change settings of the node.
              securityContext: { privileged: true, runAsUser: 0, runAsGroup: 0, readOnlyRootFilesystem: true },
              readinessProbe: { httpGet: { path: "/readyz", ...probes }, periodSeconds: 10, timeoutSeconds: 5 },
              livenessProbe: {
                httpGet: { path: "/healthz", ...probes },
                initialDelaySeconds: 30,
                periodSeconds: 60,
                timeoutSeconds: 10,
                failureThreshold: 5,
              },
              terminationMessagePolicy: "FallbackToLogsOnError",
              volumeMounts: [
                // With the container runtime's socket, wherever it is. A socket on a read-only mount accepts connections.
                { name: "host", mountPath: "/host", mountPropagation: "HostToContainer", readOnly: true },
                // The script of a Scylla image records no originals, so the agent does.
                { name: "originals", mountPath: `/host${originalsFolder}` },
              ],
            },
          ],
          volumes: [
            { name: "host", hostPath: { path: "/", type: "Directory" } },
            { name: "originals", hostPath: { path: originalsFolder, type: "DirectoryOrCreate" } },
          ],
        },
      },
    },
  };
}
