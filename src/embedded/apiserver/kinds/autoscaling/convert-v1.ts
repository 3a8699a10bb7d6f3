import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  HPAScalingRules,
  MetricSpec,
} from "kubernetes-types/autoscaling/v2.js";
import { isObject, type Json, type JsonObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { decodeBuiltin } from "../decode/decode.ts";
import { DecodeError } from "../decode/decoding.ts";
import { definitionOf } from "../definitions.ts";
import { fromMetricV1, toMetricV1 } from "./convert-v1-metrics.ts";

/** Version 1 shows fields that it does not have as annotations. */
const annotation = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`;
const metricSpecs = annotation("metrics");
const metricStatuses = annotation("current-metrics");
const conditions = annotation("conditions");
const behavior = annotation("behavior");
const all = [metricSpecs, metricStatuses, conditions, behavior];

const isCpuUtilization = ({ type, resource }: MetricSpec): boolean =>
  type === "Resource" && resource?.name === "cpu" && resource.target.averageUtilization !== undefined;

/** Converts from version 2 to version 1. */
export function toV1(stored: KubeObject): KubeObject {
  const { metrics = [], behavior: rules, ...spec } = stored.spec as HorizontalPodAutoscalerSpec;
  const { currentMetrics, conditions: states, ...status } = (stored.status ?? {}) as HorizontalPodAutoscalerStatus;
  const cpuTarget = metrics.find(isCpuUtilization)?.resource?.target.averageUtilization;
  const used = currentMetrics?.findLast(({ resource }) => resource?.name === "cpu")?.resource?.current
    .averageUtilization;
  const others = metrics.filter((metric) => !isCpuUtilization(metric));
  const added: Record<string, string> = {
    ...(others.length > 0
      ? { [metricSpecs]: JSON.stringify(others.map((metric) => toMetricV1(metric, "target"))) }
      : {}),
    ...(currentMetrics?.length
      ? { [metricStatuses]: JSON.stringify(currentMetrics.map((metric) => toMetricV1(metric, "current"))) }
      : {}),
    ...(rules
      ? { [behavior]: JSON.stringify({ ScaleUp: inGo(rules.scaleUp), ScaleDown: inGo(rules.scaleDown) }) }
      : {}),
    ...(states?.length ? { [conditions]: JSON.stringify(states) } : {}),
  };
  return {
    ...stored,
    apiVersion: "autoscaling/v1",
    metadata: annotated(stored, added),
    spec: { ...spec, ...(cpuTarget === undefined ? {} : { targetCPUUtilizationPercentage: cpuTarget }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  };
}

/** Converts from version 1 to version 2. Annotations that cannot be decoded are ignored. */
export function fromV1(shown: KubeObject): KubeObject {
  const { annotations = {} } = shown.metadata;
  const plain = (): KubeObject => withAnnotations(shown, {});
  if (!all.some((name) => Object.hasOwn(annotations, name))) return plain();
  try {
    const converted = withAnnotations(shown, annotations);
    return decodeBuiltin(converted, definitionOf("autoscaling", "v2", "HorizontalPodAutoscaler")).object;
  } catch (error) {
    // A RangeError is the stack overflow of an annotation that nests too deeply.
    if (error instanceof DecodeError || error instanceof RangeError) return plain();
    throw error;
  }
}

function withAnnotations(shown: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  const { targetCPUUtilizationPercentage: cpuTarget, ...spec } = shown.spec as {
    targetCPUUtilizationPercentage?: number;
  };
  const { currentCPUUtilizationPercentage: used, currentReplicas, ...status } = (shown.status ?? {}) as JsonObject;
  const others = listIn(annotations[metricSpecs]).map((metric) => fromMetricV1(metric, "target"));
  const metrics = cpuTarget === undefined && others.length > 0 ? others : [...others, cpuMetric(cpuTarget ?? 80)];
  const statuses = listIn(annotations[metricStatuses]).map((metric) => fromMetricV1(metric, "current"));
  const rules = parsed(annotations[behavior]);
  const states = listIn(annotations[conditions]);
  return {
    ...shown,
    apiVersion: "autoscaling/v2",
    metadata: annotated(shown, {}),
    spec: {
      ...spec,
      metrics,
      ...(isObject(rules) && Object.keys(rules).length > 0 ? { behavior: fromGo(rules) } : {}),
    },
    status: {
      ...status,
      ...(currentReplicas ? { currentReplicas } : {}),
      currentMetrics: statuses.length > 0 ? statuses : used === undefined ? null : [cpuStatus(used)],
      ...(states.length > 0 ? { conditions: states } : {}),
    },
  };
}

const cpuMetric = (averageUtilization: number): object => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const cpuStatus = (averageUtilization: Json): object => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

function annotated({ metadata }: KubeObject, added: Readonly<Record<string, string>>): KubeObject["metadata"] {
  const { annotations = {}, ...rest } = metadata;
  const kept = Object.entries(annotations).filter(([name]) => !all.includes(name));
  const next = [...kept, ...Object.entries(added)];
  return next.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(next) };
}

/** The annotation holds rules with the field names of the Go struct. */
function inGo(rules: (HPAScalingRules & { tolerance?: string }) | undefined): object | null {
  if (!rules) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ??
      null,
    Tolerance: tolerance ?? null,
  };
}

function fromGo(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => fromGo(item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(
    entries.map(([name, child]) => [name.slice(0, 1).toLowerCase() + name.slice(1), fromGo(child)]),
  );
}

function parsed(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

function listIn(text: string | undefined): Json[] {
  const list = parsed(text);
  return Array.isArray(list) ? list : [];
}
