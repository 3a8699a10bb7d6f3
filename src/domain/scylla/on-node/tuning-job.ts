import { hashOf } from "../../../language/object/hash.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { apiVersion, type ScyllaNodeConfig, type TuningEngine } from "../api.ts";
import { agentServiceAccount, nodeConfigLabel, nodeLabel, tuningNamespace } from "../names.ts";
import { labelValue } from "../label-value.ts";
import { escaped, hostFolder, perftuneArguments } from "./perftune-arguments.ts";
import { hashOfInputs, inputsHashAnnotation, recordAnnotation, type TuningRecord } from "./tuning.ts";

interface HostPath {
  readonly path: string;
  readonly type: "Directory" | "File";
  readonly readOnly?: boolean;
}

/**
 * What the script of the engine `perftune` reads and writes outside of its image. A pod with a path that its node does not have
 * would not start, and no node has all of them.
 */
export const scriptPaths: readonly HostPath[] = [
  { path: "/etc/systemd", type: "Directory" },
  { path: "/sys/class", type: "Directory" },
  { path: "/sys/devices", type: "Directory" },
  { path: "/lib/systemd/system", type: "Directory", readOnly: true },
  { path: "/var/run/dbus", type: "Directory", readOnly: true },
  { path: "/run/systemd/system", type: "Directory", readOnly: true },
  // Where the distributions have the options of irqbalance: without them the script cannot ban interrupts.
  { path: "/etc/default/irqbalance", type: "File" },
  { path: "/etc/sysconfig/irqbalance", type: "File" },
  { path: "/etc/conf.d/irqbalance", type: "File" },
];

/** Tries of a Job itself; after them it has failed, and the agent waits before it creates the next one. */
const backoffLimit = 2;
/** A Job whose image cannot be pulled never fails by itself. */
const activeDeadlineSeconds = 900;

export interface JobInput {
  readonly config: ScyllaNodeConfig;
  readonly node: { readonly name: string; readonly uid: string };
  readonly record: TuningRecord;
  /** Of `scriptPaths`, those that the node has. */
  readonly paths: readonly string[];
}

export function tuningJob({ config, node, record, paths }: JobInput): KubeObject {
  const { inputs, sequence } = record;
  const { name: configName = "", uid = "" } = config.metadata;
  const labels = { [nodeConfigLabel]: labelValue(configName), [nodeLabel]: labelValue(node.name) };
  const hash = hashOfInputs(inputs);
  const args = perftuneArguments(inputs).map(escaped);
  const { volumes, volumeMounts } = mounts(inputs.engine, paths);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `perftune-${hashOf([node.uid, hash, sequence])}`,
      namespace: tuningNamespace,
      labels,
      annotations: { [inputsHashAnnotation]: hash, [recordAnnotation]: JSON.stringify(record) },
      ownerReferences: [{ apiVersion, kind: "ScyllaNodeConfig", name: configName, uid, controller: true }],
    },
    spec: {
      backoffLimit,
      activeDeadlineSeconds,
      template: {
        metadata: { labels },
        spec: {
          // Pods of a failed Job stay only so, and with them what their programs printed last.
          restartPolicy: "Never",
          nodeName: node.name,
          hostPID: true,
          hostNetwork: true,
          // It was decided for this node: no taint changes that.
          tolerations: [{ operator: "Exists" }],
          // OpenShift lets it be privileged. Without its token a Job has none of its rights at the API server.
          serviceAccountName: agentServiceAccount,
          automountServiceAccountToken: false,
          securityContext: { runAsUser: 0, runAsGroup: 0 },
          containers: [
            {
              name: "perftune",
              image: inputs.image,
              imagePullPolicy: "IfNotPresent",
              command: commands[inputs.engine],
              args,
              env: [{ name: "SYSTEMD_IGNORE_CHROOT", value: "1" }],
              securityContext: { privileged: true },
              resources: { requests: { cpu: "10m", memory: "50Mi" } },
              terminationMessagePolicy: "FallbackToLogsOnError",
              volumeMounts,
            },
          ],
          volumes,
        },
      },
    },
  };
}

const commands: Readonly<Record<TuningEngine, readonly string[]>> = {
  perftune: ["/opt/scylladb/scripts/perftune.py"],
  native: ["attune", "perftune", "--root", hostFolder],
};

function mounts(engine: TuningEngine, paths: readonly string[]): { volumes: object[]; volumeMounts: object[] } {
  const root: HostPath & { mountPath?: string } = { path: "/", type: "Directory", mountPath: hostFolder };
  const used = engine === "native" ? [] : scriptPaths.filter(({ path }) => paths.includes(path));
  const all = [root, ...used.map((one) => ({ ...one, mountPath: one.path }))];
  return {
    volumes: all.map(({ path, type }) => ({ name: volumeName(path), hostPath: { path, type } })),
    volumeMounts: all.map(({ path, mountPath, readOnly = false }) => ({
      name: volumeName(path),
      mountPath,
      ...(readOnly ? { readOnly } : {}),
    })),
  };
}

/** `/etc/systemd` → `etc-systemd` */
function volumeName(path: string): string {
  return path === "/" ? "host" : path.slice(1).replaceAll("/", "-");
}
