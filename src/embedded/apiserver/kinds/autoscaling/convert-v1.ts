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
import { fromOlder, toOlder } from "./convert-v1-metrics.ts";

/** What version 1 has no fields for stands in annotations, where it shows them. */
const annotation = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`;
const metricSpecs = annotation("metrics");
const metricStatuses = annotation("current-metrics");
const conditions = annotation("conditions");
const behavior = annotation("behavior");
const all = [metricSpecs, metricStatuses, conditions, behavior];

const isProcessor = ({ type, resource }: MetricSpec): boolean =>
  type === "Resource" && resource?.name === "cpu" && resource.target.averageUtilization !== undefined;

/** An autoscaler of version 2 as version 1 shows it. */
export function toFirst(stored: KubeObject): KubeObject {
  const { metrics = [], behavior: rules, ...spec } = stored.spec as HorizontalPodAutoscalerSpec;
  const { currentMetrics, conditions: states, ...status } = (stored.status ?? {}) as HorizontalPodAutoscalerStatus;
  const processor = metrics.find(isProcessor)?.resource?.target.averageUtilization;
  const used = currentMetrics?.findLast(({ resource }) => resource?.name === "cpu")?.resource?.current
    .averageUtilization;
  const others = metrics.filter((metric) => !isProcessor(metric));
  const added: Record<string, string> = {
    ...(others.length > 0 ? { [metricSpecs]: JSON.stringify(others.map((metric) => toOlder(metric, "target"))) } : {}),
    ...(currentMetrics?.length
      ? { [metricStatuses]: JSON.stringify(currentMetrics.map((metric) => toOlder(metric, "current"))) }
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
    spec: { ...spec, ...(processor === undefined ? {} : { targetCPUUtilizationPercentage: processor }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(used === undefined ? {} : { currentCPUUtilizationPercentage: used }),
    },
  };
}

/** And back: what annotations say is said in fields again, if it makes sense there. */
export function fromFirst(shown: KubeObject): KubeObject {
  const { annotations = {} } = shown.metadata;
  const plain = (): KubeObject => withSaid(shown, {});
  if (!all.some((name) => Object.hasOwn(annotations, name))) return plain();
  try {
    const said = withSaid(shown, annotations);
    return decodeBuiltin(said, definitionOf("autoscaling", "v2", "HorizontalPodAutoscaler")).object;
  } catch (error) {
    // The latter is what comes of an annotation that nests without end.
    if (error instanceof DecodeError || error instanceof RangeError) return plain();
    throw error;
  }
}

function withSaid(shown: KubeObject, said: Readonly<Record<string, string>>): KubeObject {
  const { targetCPUUtilizationPercentage: processor, ...spec } = shown.spec as {
    targetCPUUtilizationPercentage?: number;
  };
  const { currentCPUUtilizationPercentage: used, currentReplicas, ...status } = (shown.status ?? {}) as JsonObject;
  const others = listIn(said[metricSpecs]).map((metric) => fromOlder(metric, "target"));
  const metrics = processor === undefined && others.length > 0 ? others : [...others, ofProcessor(processor ?? 80)];
  const statuses = listIn(said[metricStatuses]).map((metric) => fromOlder(metric, "current"));
  const rules = parsed(said[behavior]);
  const states = listIn(said[conditions]);
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
      currentMetrics: statuses.length > 0 ? statuses : used === undefined ? null : [ofUse(used)],
      ...(states.length > 0 ? { conditions: states } : {}),
    },
  };
}

const ofProcessor = (averageUtilization: number): object => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const ofUse = (averageUtilization: Json): object => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

function annotated({ metadata }: KubeObject, added: Readonly<Record<string, string>>): KubeObject["metadata"] {
  const { annotations = {}, ...rest } = metadata;
  const kept = Object.entries(annotations).filter(([name]) => !all.includes(name));
  const next = [...kept, ...Object.entries(added)];
  return next.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(next) };
}

/** Rules are written there with the names that their fields have in Go. */
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
