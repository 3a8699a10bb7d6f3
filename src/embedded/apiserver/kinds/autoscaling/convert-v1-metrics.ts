import type {
  CrossVersionObjectReference,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "kubernetes-types/autoscaling/v2.js";
import { isObject, type JsonObject } from "../../../../language/object/json.ts";

/** What version 1 calls what a metric is of. All of it is optional here: it comes out of an annotation. */
interface Older {
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

/** A metric in the words of version 1, which has one flat object for each source. */
export function toOlder(metric: MetricSpec | MetricStatus, side: Side): object {
  const { type, ...sources } = metric as { type: string } & Record<string, Record<string, never>>;
  return {
    type,
    ...Object.fromEntries(
      Object.entries(sources).map(([source, said]) => [source, flat(source, said as unknown as Said, side)]),
    ),
  };
}

interface Said {
  readonly name?: string;
  readonly container?: string;
  readonly metric?: { name: string; selector?: object };
  readonly describedObject?: CrossVersionObjectReference;
  readonly target?: Partial<MetricTarget>;
  readonly current?: Partial<MetricTarget>;
}

function flat(source: string, said: Said, side: Side): object {
  const { name, container, metric, describedObject } = said;
  const { value, averageValue, averageUtilization } = said[side] ?? {};
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

/** And back. What is no metric is passed on as it is, for whoever validates it. */
export function fromOlder(metric: unknown, side: Side): JsonObject {
  if (!isObject(metric)) return {};
  const { type, ...sources } = metric;
  const entries = Object.entries(sources).map(([source, said]) => [
    source,
    isObject(said) ? withoutUndefined(nested(source, said as Older, side)) : {},
  ]);
  return { type: typeof type === "string" ? type : "", ...(Object.fromEntries(entries) as JsonObject) };
}

function nested(source: string, said: Older, side: Side): Record<string, unknown> {
  const value = side === "target" ? said.targetValue : said.currentValue;
  const average = side === "target" ? said.targetAverageValue : said.currentAverageValue;
  const utilization = side === "target" ? said.targetAverageUtilization : said.currentAverageUtilization;
  const amounts = (type: string, fields: object): object => ({ ...(side === "target" ? { type } : {}), ...fields });
  const metric = { name: said.metricName ?? "", selector: said.selector ?? said.metricSelector };
  switch (source) {
    case "object":
      return {
        describedObject: said.target,
        [side]: amounts(said.averageValue === undefined ? "Value" : "AverageValue", {
          value,
          averageValue: said.averageValue,
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
        name: said.name ?? "",
        container: said.container,
        [side]: amounts(utilization === undefined ? "AverageValue" : "Utilization", {
          averageValue: average,
          averageUtilization: utilization,
        }),
      };
  }
}

/** As an object that was parsed: no key without a value. */
const withoutUndefined = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
