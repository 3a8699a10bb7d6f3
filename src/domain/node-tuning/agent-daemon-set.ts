import { isObject } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { group } from "./api.ts";

export const agentDaemonSetName = "tuned";

/** The last generation that was rolled out to all nodes: a pod that starts later is not a roll-out. */
export const stableAnnotation = `${group}/last-stable-daemonset-generation`;

/** The fields of the DaemonSet that are read. */
export interface AgentDaemonSet extends KubeObject {
  spec?: { template?: { spec?: { containers?: { name: string }[] } } };
  status?: {
    observedGeneration?: number;
    desiredNumberScheduled?: number;
    currentNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberUnavailable?: number;
  };
}

/**
 * Whether agents see the mounts of their node as they change, or as they are when the agent starts. An agent that does not
 * follow keeps file systems in use that its node unmounts, volumes of other pods among them. To follow, the root of the node
 * must be a shared mount.
 */
export type AgentMounts = "follow" | "fixed";

export interface AgentOptions {
  readonly namespace: string;
  readonly image: string;
  readonly serviceAccount: string;
  readonly release: string;
  /** Default follow. */
  readonly mounts?: AgentMounts | undefined;
  /** More arguments for every agent. */
  readonly args?: readonly string[] | undefined;
}

export const agentContainerName = "agent";

/** Of the node's loopback: nothing beyond the node reaches it. Below the ports that kernels and Services assign. */
const probes = { host: "127.0.0.1", port: 19257 };
const probing = ["--probe-address", `${probes.host}:${probes.port}`];

export const agentLabels = { "app.kubernetes.io/name": "attune-agent", "app.kubernetes.io/part-of": "attune" };

/** Whether it runs our agents. The DaemonSet of the operator that Attune replaces has the same name and may have our labels. */
export function isOurDaemonSet({ spec }: AgentDaemonSet): boolean {
  return spec?.template?.spec?.containers?.every(({ name }) => name === agentContainerName) ?? false;
}

/**
 * Whether other clients have added fields. Server-side apply leaves those alone, such as an argument that switches an agent off.
 * Additions of the same manager, which come with a replacement of the whole object, are defaults of the API server.
 */
export function hasForeignFields({ metadata: { managedFields = [] } }: AgentDaemonSet, manager: string): boolean {
  const applied = managedFields.find((entry) => entry.manager === manager && entry.operation === "Apply");
  const ours = specOf(applied?.fieldsV1);
  return managedFields.some((entry) => entry.manager !== manager && exceeds(specOf(entry.fieldsV1), ours));
}

function specOf(fields: unknown): unknown {
  return isObject(fields) ? fields["f:spec"] : undefined;
}

/** Whether one set of fields has some that the other does not have. */
function exceeds(fields: unknown, others: unknown): boolean {
  if (!isObject(fields)) return false;
  return Object.keys(fields).some(
    (key) => key !== "." && (!isObject(others) || !Object.hasOwn(others, key) || exceeds(fields[key], others[key])),
  );
}

/**
 * An agent allocates little at once: V8 would keep a quarter of its memory for new objects. It computes little too: without a
 * compiler it applies a profile as fast, and 9 MB less of Node.js are read (docs/decisions/0018).
 */
export const agentEnvironment = [
  { name: "NODE_OPTIONS", value: "--max-semi-space-size=1 --jitless" },
  { name: "MALLOC_ARENA_MAX", value: "1" },
];

const chosenProfileFolder = "/var/lib/ocp-tuned/recommend.d";

/** Where a node has the name of its chosen profile, as the Go operator's agents have it. */
export const chosenProfileFile = `${chosenProfileFolder}/50-openshift.conf`;

/** One agent on every Linux node, whatever its taints. It has the name of the DaemonSet it replaces, so that the two never run together. */
export function agentDaemonSet(options: AgentOptions, observed: AgentDaemonSet | undefined): KubeObject {
  const { namespace, image, serviceAccount, release, mounts = "follow", args = [] } = options;
  const labels = agentLabels;
  const selector = { "openshift-app": "tuned" };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: agentDaemonSetName, namespace, labels, ...annotated(stableGeneration(observed)) },
    spec: {
      selector: { matchLabels: selector },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
      template: {
        metadata: {
          labels: { ...selector, ...labels },
          annotations: { "target.workload.openshift.io/management": '{"effect":"PreferredDuringScheduling"}' },
        },
        spec: {
          serviceAccountName: serviceAccount,
          priorityClassName: "system-node-critical",
          nodeSelector: { "kubernetes.io/os": "linux" },
          tolerations: [{ operator: "Exists" }],
          hostNetwork: true,
          hostPID: true,
          hostIPC: true,
          terminationGracePeriodSeconds: 30,
          containers: [
            {
              name: agentContainerName,
              image,
              command: ["attune", "agent", "--node", "$(NODE_NAME)", "--root", "/host", ...probing, ...args],
              env: [
                { name: "NODE_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
                { name: "CLUSTER_NODE_TUNED_IMAGE", value: image },
                ...agentEnvironment,
                // The API server drops an empty value, so that the operator would write it again and again.
                ...(release === "" ? [] : [{ name: "RELEASE_VERSION", value: release }]),
              ],
              // Measured: docs/decisions/0018-memory-of-the-agent.md. No limit: TuneD and programs of profiles count as the agent's.
              resources: { requests: { cpu: "10m", memory: "40Mi" } },
              // Root whatever user the image names: it writes to the kernel's files, which are root's.
              securityContext: { privileged: true, runAsUser: 0, runAsGroup: 0, readOnlyRootFilesystem: true },
              // Ready once the Profile was applied: a roll-out waits for it. An agent that does not answer for minutes hangs.
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
                {
                  name: "host",
                  mountPath: "/host",
                  mountPropagation: mounts === "follow" ? "HostToContainer" : "None",
                },
                // Tools read the chosen profile here, with kubectl exec.
                { name: "recommend", mountPath: "/etc/tuned/recommend.d", readOnly: true },
              ],
            },
          ],
          volumes: [
            { name: "host", hostPath: { path: "/", type: "Directory" } },
            { name: "recommend", hostPath: { path: chosenProfileFolder, type: "DirectoryOrCreate" } },
          ],
        },
      },
    },
  };
}

function annotated(stable: string | undefined): object {
  return stable === undefined ? {} : { annotations: { [stableAnnotation]: stable } };
}

/** The last generation that was rolled out to all nodes. */
function stableGeneration(daemonSet: AgentDaemonSet | undefined): string | undefined {
  if (!daemonSet) return undefined;
  return isProgressing(daemonSet)
    ? daemonSet.metadata.annotations?.[stableAnnotation]
    : String(daemonSet.metadata.generation);
}

export function isProgressing({ metadata, status = {} }: AgentDaemonSet): boolean {
  const generation = metadata.generation ?? 0;
  // A node that joins or restarts after the roll-out is not a roll-out.
  if (metadata.annotations?.[stableAnnotation] === String(generation)) return false;
  return (
    generation !== status.observedGeneration ||
    (status.updatedNumberScheduled ?? 0) < (status.desiredNumberScheduled ?? 0) ||
    (status.numberUnavailable ?? 0) > 0
  );
}
