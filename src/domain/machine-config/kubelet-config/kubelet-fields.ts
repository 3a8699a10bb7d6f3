import { isObject, type JsonObject, set } from "../../../language/object/json.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import { child, index } from "../../../language/schema/path.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { validateSchema } from "../../../language/schema/validate.ts";

export interface KubeletFields {
  /** Known fields, in the spelling of the kubelet. */
  readonly fields: JsonObject;
  /** Paths of unknown fields. */
  readonly unknown: readonly string[];
  /** Values that a kubelet could not read. */
  readonly faults: readonly FieldError[];
}

/**
 * The fields of a KubeletConfiguration that is found at `path`. Go decoders ignore the case of names and unknown fields; the
 * kubelet rejects both.
 */
export function readKubeletFields(given: JsonObject, path: string): KubeletFields {
  const unknown: string[] = [];
  const fields = spelled(given, kubeletConfiguration, "", unknown) as JsonObject;
  return { fields, unknown, faults: validateSchema(fields, kubeletConfiguration, path) };
}

function spelled(value: unknown, schema: Schema, path: string, unknown: string[]): unknown {
  if (Array.isArray(value))
    return value.map((item, i) => (schema.items ? spelled(item, schema.items, index(path, i), unknown) : item));
  const { properties } = schema;
  if (!isObject(value) || !properties) return isObject(value) ? withoutNulls(value) : value;
  const result: JsonObject = {};
  for (const name of Object.keys(value)) {
    const known = knownName(name, properties);
    const field = known === undefined ? undefined : properties[known];
    if (known === undefined || !field) unknown.push(child(path, name));
    // A null leaves the field unset.
    else if (value[name] !== null) set(result, known, spelled(value[name], field, child(path, known), unknown));
  }
  return result;
}

function withoutNulls(value: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const name of Object.keys(value)) if (value[name] !== null) set(result, name, value[name]);
  return result;
}

function knownName(name: string, properties: Record<string, Schema>): string | undefined {
  if (Object.hasOwn(properties, name)) return name;
  const lower = name.toLowerCase();
  return Object.keys(properties).find((known) => known.toLowerCase() === lower);
}

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const int32: Schema = { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const int64: Schema = { type: "integer" };
const duration: Schema = {
  type: "string",
  pattern: "^[+-]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$",
};
const quantity: Schema = { "x-kubernetes-int-or-string": true };
/** Types of other APIs: passed on unchecked. */
const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function object(properties: Record<string, Schema>): Schema {
  return { type: "object", properties };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

function map(additionalProperties: Schema): Schema {
  return { type: "object", additionalProperties };
}

function all(type: Schema, names: string): Record<string, Schema> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type]),
  );
}

/** Fields of kubelet.config.k8s.io/v1beta1, by type. */
const kubeletConfiguration: Schema = object({
  ...all(
    text,
    `apiVersion kind address cgroupDriver cgroupRoot clusterDomain configMapAndSecretChangeDetectionStrategy
    containerLogMaxSize containerRuntimeEndpoint contentType cpuManagerPolicy hairpinMode healthzBindAddress
    imagePullCredentialsVerificationPolicy imageServiceEndpoint kubeReservedCgroup kubeletCgroups memoryManagerPolicy
    podCIDR podLogsDir providerID reservedSystemCPUs resolvConf showHiddenMetricsForVersion staticPodPath staticPodURL
    systemCgroups systemReservedCgroup tlsCertFile tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy
    topologyManagerScope volumePluginDir`,
  ),
  ...all(
    flag,
    `cgroupsPerQOS cpuCFSQuota enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler
    enableDebuggingHandlers enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery
    failCgroupV1 failSwapOn kernelMemcgNotification localStorageCapacityIsolation makeIPTablesUtilChains
    mergeDefaultEvictionSettings protectKernelDefaults registerNode rotateCertificates runOnce seccompDefault
    serializeImagePulls serverTLSBootstrap singleProcessOOMKill`,
  ),
  ...all(
    int32,
    `containerLogMaxFiles containerLogMaxWorkers eventBurst eventRecordQPS evictionMaxPodGracePeriod healthzPort
    imageGCHighThresholdPercent imageGCLowThresholdPercent iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS
    maxParallelImagePulls maxPods nodeLeaseDurationSeconds nodeStatusMaxImages oomScoreAdj podsPerCore port readOnlyPort
    registryBurst registryPullQPS`,
  ),
  ...all(int64, "maxOpenFiles podPidsLimit"),
  ...all(
    duration,
    `containerLogMonitorInterval cpuCFSQuotaPeriod cpuManagerReconcilePeriod evictionPressureTransitionPeriod
    fileCheckFrequency httpCheckFrequency imageMaximumGCAge imageMinimumGCAge nodeStatusReportFrequency
    nodeStatusUpdateFrequency runtimeRequestTimeout shutdownGracePeriod shutdownGracePeriodCriticalPods
    streamingConnectionIdleTimeout syncFrequency volumeStatsAggPeriod`,
  ),
  ...all(
    list(text),
    "allowedUnsafeSysctls clusterDNS enforceNodeAllocatable preloadedImagesVerificationAllowlist tlsCipherSuites",
  ),
  ...all(
    map(text),
    `cpuManagerPolicyOptions evictionHard evictionMinimumReclaim evictionSoft evictionSoftGracePeriod kubeReserved
    qosReserved systemReserved topologyManagerPolicyOptions`,
  ),
  ...all(anything, "logging tracing"),
  authentication: object({
    x509: object({ clientCAFile: text }),
    webhook: object({ enabled: flag, cacheTTL: duration }),
    anonymous: object({ enabled: flag }),
  }),
  authorization: object({
    mode: text,
    webhook: object({ cacheAuthorizedTTL: duration, cacheUnauthorizedTTL: duration }),
  }),
  crashLoopBackOff: object({ maxContainerRestartPeriod: duration }),
  featureGates: map(flag),
  memorySwap: object({ swapBehavior: text }),
  memoryThrottlingFactor: { type: "number" },
  registerWithTaints: list(anything),
  reservedMemory: list(object({ numaNode: int32, limits: map(quantity) })),
  shutdownGracePeriodByPodPriority: list(object({ priority: int32, shutdownGracePeriodSeconds: int64 })),
  staticPodURLHeader: map(list(text)),
  userNamespaces: object({ idsPerPod: int64 }),
});
