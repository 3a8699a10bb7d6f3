import type {
  CrossVersionObjectReference,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "kubernetes-types/autoscaling/v2.js";
import { isObject, type JsonObject } from "../../../../language/object/json.ts";

/** A metric source in version 1. Every field is optional, because it comes from an annotation. */
interface MetricV1 {
  readonly name?: string;
  readonly container?: string;
  readonly metricName?: string;
  readonly target?: object;
  readonly selector?: object;
  readonly metricSelector?: object;
  readonly targetValue?: string;
  readonly averageValue?: string;
  readonly targetAverageValue?: string;
  readonly targetAverageUtilization?: number;
  readonly currentValue?: string;
  readonly currentAverageValue?: string;
  readonly currentAverageUtilization?: number;
}

type Side = "target" | "current";
const titled = { target: "targetAverage", current: "currentAverage" } as const;

/** Converts a metric to version 1, which has a flat object for each source. */
export function toMetricV1(metric: MetricSpec | MetricStatus, side: Side): object {
  const { type, ...sources } = metric as { type: string } & Record<string, Record<string, never>>;
  return {
    type,
    ...Object.fromEntries(
      Object.entries(sources).map(([source, fields]) => [source, flat(source, fields as unknown as MetricV2, side)]),
    ),
  };
}

interface MetricV2 {
  readonly name?: string;
  readonly container?: string;
  readonly metric?: { name: string; selector?: object };
  readonly describedObject?: CrossVersionObjectReference;
  readonly target?: Partial<MetricTarget>;
  readonly current?: Partial<MetricTarget>;
}

function flat(source: string, fields: MetricV2, side: Side): object {
  const { name, container, metric, describedObject } = fields;
  const { value, averageValue, averageUtilization } = fields[side] ?? {};
  const average = titled[side];
  switch (source) {
    case "object":
      return {
        target: { kind: describedObject?.kind, name: describedObject?.name, apiVersion: describedObject?.apiVersion },
        metricName: metric?.name,
        [`${side}Value`]: value ?? "0",
        selector: metric?.selector,
        averageValue,
      };
    case "pods":
      return { metricName: metric?.name, [`${average}Value`]: averageValue ?? "0", selector: metric?.selector };
    case "external":
      return {
        metricName: metric?.name,
        metricSelector: metric?.selector,
        [`${side}Value`]: value ?? (side === "current" ? "0" : undefined),
        [`${average}Value`]: averageValue,
      };
    default:
      return {
        name,
        [`${average}Utilization`]: averageUtilization,
        [`${average}Value`]: averageValue ?? (side === "current" ? "0" : undefined),
        container,
      };
  }
}

/** Converts back. A value that is not a metric is kept, for validation to reject it. */
export function fromMetricV1(metric: unknown, side: Side): JsonObject {
  if (!isObject(metric)) return {};
  const { type, ...sources } = metric;
  const entries = Object.entries(sources).map(([source, fields]) => [
    source,
    isObject(fields) ? withoutUndefined(nested(source, fields as MetricV1, side)) : {},
  ]);
  return { type: typeof type === "string" ? type : "", ...(Object.fromEntries(entries) as JsonObject) };
}

function nested(source: string, fields: MetricV1, side: Side): Record<string, unknown> {
  const value = side === "target" ? fields.targetValue : fields.currentValue;
  const average = side === "target" ? fields.targetAverageValue : fields.currentAverageValue;
  const utilization = side === "target" ? fields.targetAverageUtilization : fields.currentAverageUtilization;
  const amounts = (type: string, fields: object): object => ({ ...(side === "target" ? { type } : {}), ...fields });
  const metric = { name: fields.metricName ?? "", selector: fields.selector ?? fields.metricSelector };
  switch (source) {
    case "object":
      return {
        describedObject: fields.target,
        [side]: amounts(fields.averageValue === undefined ? "Value" : "AverageValue", {
          value,
          averageValue: fields.averageValue,
        }),
        metric,
      };
    case "pods":
      return { metric, [side]: amounts("AverageValue", { averageValue: average }) };
    case "external":
      return {
        metric,
        [side]: amounts(value === undefined ? "AverageValue" : "Value", { value, averageValue: average }),
      };
    default:
      return {
        name: fields.name ?? "",
        container: fields.container,
        [side]: amounts(utilization === undefined ? "AverageValue" : "Utilization", {
          averageValue: average,
          averageUtilization: utilization,
        }),
      };
  }
}

/** Removes keys without a value. */
const withoutUndefined = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
