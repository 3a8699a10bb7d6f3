import { tuningNamespace } from "../../../../domain/node-tuning/api.ts";
import { releases } from "../../../../domain/workload-partitioning/release.ts";
import { writeYaml } from "../../../../language/object/write-yaml.ts";
import type { InstallOptions } from "../manifests.ts";
import { version } from "../../../version.ts";

/** Defaults of the chart's values: what the flags of `attune install --chart` say. */
export type ChartValues = Required<
  Pick<InstallOptions, "image" | "mode" | "protocol" | "partitioningRelease" | "agentExec" | "agentMounts" | "replicas">
> & {
  readonly monitoring: boolean;
  readonly scylla: boolean;
  readonly scyllaUtilsImage: string;
  readonly console: boolean;
  readonly firstBoot?: string | undefined;
};

export const chartDescription = {
  apiVersion: "v2",
  name: "attune",
  description: "Tunes Kubernetes nodes from declarative objects",
  type: "application",
  version,
  appVersion: version,
};

const described = {
  image: "Container image of operator, webhook and agents: name:tag or name@digest.",
  mode: "auto uses the OpenShift kinds that the cluster has, standalone requires MachineConfigPools and also installs\ntheir CRDs, plain rolls pools out itself and uses nothing of OpenShift, tuning uses no machine configuration.",
  replicas: "Of the operator and of the webhook.",
  monitoring: "ServiceMonitor and PrometheusRule: true, false, or auto for clusters that have these kinds.",
  agentExec: "Programs and scripts that profiles name: allow, builtin (only those of built-in profiles) or none.",
  agentMounts:
    "follow: agents see mounts of their node as they change; its root must be a shared mount. fixed: as they are when the agent starts.",
  firstBoot:
    "URL (https://) at which machines reach node port 30623 of the cluster, to get the config of their pool before they are nodes.\nEmpty: not served.",
  scylla: "Also install what tunes nodes of Scylla databases.",
  scyllaUtilsImage: "With scylla: the Scylla image whose scripts tune nodes, for a new ScyllaOperatorConfig.",
  console: "Also install the console, whose users sign in with tokens of their own.",
  protocol: "How agents report boot arguments: documented (in the Profile) or shipped (in annotations of the Node).",
  partitioningRelease: "Rules of workload partitioning: documented, or those of a release of OpenShift.",
};

/** `values.yaml`, each value with a comment. */
export function valuesText({ monitoring, firstBoot = "", ...values }: ChartValues): string {
  const all = { ...values, firstBoot, monitoring: monitoring ? true : "auto" };
  return (Object.keys(described) as (keyof typeof described)[])
    .map((name) => `${described[name].replaceAll(/^/gm, "# ")}\n${writeYaml({ [name]: all[name] })}`)
    .join("\n");
}

export const valuesSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  additionalProperties: false,
  properties: {
    global: { type: "object" },
    image: { type: "string", minLength: 1, pattern: "^\\S+$", description: described.image },
    mode: { enum: ["auto", "standalone", "plain", "tuning"], description: described.mode },
    replicas: { type: "integer", minimum: 1, description: described.replicas },
    monitoring: { enum: ["auto", true, false], description: described.monitoring },
    agentExec: { enum: ["allow", "builtin", "none"], description: described.agentExec },
    agentMounts: { enum: ["follow", "fixed"], description: described.agentMounts },
    firstBoot: { type: "string", pattern: "^(https://\\S+)?$", description: described.firstBoot },
    scylla: { type: "boolean", description: described.scylla },
    scyllaUtilsImage: { type: "string", minLength: 1, pattern: "^\\S+$", description: described.scyllaUtilsImage },
    console: { type: "boolean", description: described.console },
    protocol: { enum: ["documented", "shipped"], description: described.protocol },
    partitioningRelease: { enum: Object.keys(releases), description: described.partitioningRelease },
  },
  required: Object.keys(described),
};

export const notes = `Attune runs in namespace {{ .Release.Namespace }}, mode {{ .Values.mode }}.

  kubectl -n ${tuningNamespace} get tuneds,profiles

shows the Tuneds and the profile of each node. Tuneds belong in that namespace.
{{- if not (semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version) }}

This cluster has no ValidatingAdmissionPolicy (Kubernetes 1.30): agents are not limited to the Profile of their own node,
nor the webhook to the kinds it reviews.
{{- end }}

helm upgrade does not change CRDs: before an upgrade, run kubectl apply --server-side -f crds/ in the folder of the new chart.
helm uninstall deletes the namespace ${tuningNamespace} with all Tuneds in it, and leaves the CRDs.
`;
