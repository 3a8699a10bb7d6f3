import type { PodSpec } from "kubernetes-types/core/v1.js";
import { isObject } from "../../../../../language/object/json.ts";
import type { Schema } from "../../../../../language/schema/schema.ts";
import { definitionOf } from "../../definitions.ts";

/** The field order of kube-apiserver's internal structs. Of other structs only fields that are set are printed. */
const orders: Readonly<Record<string, string>> = {
  PodSpec:
    "volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName automountServiceAccountToken nodeName securityContext imagePullSecrets hostname subdomain setHostnameAsFQDN affinity schedulerName tolerations hostAliases priorityClassName priority preemptionPolicy dnsConfig readinessGates runtimeClassName overhead enableServiceLinks topologySpreadConstraints os schedulingGates resourceClaims resources hostnameOverride workloadRef",
  PodSecurityContext:
    "hostNetwork hostPID hostIPC shareProcessNamespace hostUsers seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup fsGroupChangePolicy sysctls seccompProfile appArmorProfile seLinuxChangePolicy",
  Container:
    "name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty",
  Volume:
    "name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd quobyte flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image",
  EmptyDirVolumeSource: "medium sizeLimit",
  ResourceRequirements: "limits requests claims",
  ContainerPort: "name hostPort containerPort protocol hostIP",
  EnvVar: "name value valueFrom",
  VolumeMount: "name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr",
  Toleration: "key operator value effect tolerationSeconds",
};

/** Fields that the internal PodSpec keeps in the security context. */
const hostFields = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"] as const;

/** A pod spec with the names of the internal struct, as kube-apiserver prints it in the error of a forbidden update. */
export function goDump(spec: PodSpec): unknown {
  const host: Record<string, unknown> = {};
  for (const field of hostFields) if (spec[field] !== undefined) host[field] = spec[field];
  const schema = definitionOf("", "v1", "Pod").properties?.spec ?? {};
  return dump({ ...spec, securityContext: { ...host, ...spec.securityContext } }, schema);
}

function dump(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => dump(item, schema.items ?? {}));
  // In a message the last digits do not matter.
  if (typeof value === "bigint") return Number(value);
  if (!isObject(value) || !schema.properties) return value;
  const order = orders[schema.go?.name ?? ""]?.split(" ") ?? Object.keys(value);
  const shown: Record<string, unknown> = {};
  for (const field of order) {
    const fieldSchema = schema.properties[field] ?? {};
    shown[goName(field)] =
      value[field] === undefined ? zero(field, fieldSchema, schema) : dump(value[field], fieldSchema);
  }
  return shown;
}

function zero(field: string, schema: Schema, struct: Schema): unknown {
  const host: readonly string[] = hostFields.slice(0, 3);
  if (host.includes(field)) return false;
  if (struct.go?.pointers?.includes(field)) return null;
  switch (schema.type) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
      return 0;
    default:
      return null;
  }
}

/** Go names that are not the JSON name with a capital letter. */
const goNames = new Map([
  ["dnsPolicy", "DNSPolicy"],
  ["dnsConfig", "DNSConfig"],
  ["os", "OS"],
  ["tty", "TTY"],
  ["gcePersistentDisk", "GCEPersistentDisk"],
  ["awsElasticBlockStore", "AWSElasticBlockStore"],
  ["nfs", "NFS"],
  ["iscsi", "ISCSI"],
  ["rbd", "RBD"],
  ["cephfs", "CephFS"],
  ["fc", "FC"],
  ["storageos", "StorageOS"],
  ["csi", "CSI"],
  ["fsGroup", "FSGroup"],
  ["fsGroupChangePolicy", "FSGroupChangePolicy"],
  ["seLinuxOptions", "SELinuxOptions"],
  ["seLinuxChangePolicy", "SELinuxChangePolicy"],
]);

const goName = (field: string): string => goNames.get(field) ?? field.charAt(0).toUpperCase() + field.slice(1);
