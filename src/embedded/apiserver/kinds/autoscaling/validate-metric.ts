import type { MetricSpec, MetricTarget, CrossVersionObjectReference } from "kubernetes-types/autoscaling/v2.js";
import { dnsLabel, pathSegment } from "../../../../language/object/names.ts";
import { compareQuantities, parseQuantity } from "../../../../language/object/quantity.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";

/** In the order in which kube-apiserver checks them: of several sources only the first is validated. */
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
type Source = (typeof sources)[number];

const sourceOf: ReadonlyMap<string, Source> = new Map([
  ["ContainerResource", "containerResource"],
  ["External", "external"],
  ["Object", "object"],
  ["Pods", "pods"],
  ["Resource", "resource"],
]);

export function validateMetric(metric: MetricSpec, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = metric;
  if (type === "") errors.push(required(`${at}.type`, "must specify a metric source type"));
  const expected = sourceOf.get(type);
  if (!expected) errors.push(notSupported(`${at}.type`, type, [...sourceOf.keys()]));
  const present = sources.filter((source) => metric[source] !== undefined);
  if (present[0]) errors.push(...validateSource(metric, present[0], `${at}.${present[0]}`));
  if (expected && !metric[expected])
    errors.push(required(`${at}.${expected}`, "must populate information for the given metric source"));
  if (present.length !== 1)
    for (const other of present.filter((source) => source !== expected))
      errors.push(forbidden(`${at}.${other}`, "must populate the given metric source only"));
  return errors;
}

function validateSource(metric: MetricSpec, source: Source, at: string): FieldError[] {
  const { object, external, pods, resource, containerResource } = metric;
  switch (source) {
    case "object":
      return object
        ? [
            ...validateReference(object.describedObject, `${at}.describedObject`),
            ...validateName(object.metric.name, at),
            ...validateTarget(object.target, at),
            ...valueOrAverage(object.target, at, "must set either a target value or averageValue"),
          ]
        : [];
    case "external":
      return external
        ? [
            ...validateName(external.metric.name, at),
            ...validateTarget(external.target, at),
            ...valueOrAverage(external.target, at, "must set either a target value for metric or a per-pod target"),
            ...(external.target.value !== undefined && external.target.averageValue !== undefined
              ? [forbidden(`${at}.target.value`, "may not set both a target value for metric and a per-pod target")]
              : []),
          ]
        : [];
    case "pods":
      return pods
        ? [
            ...validateName(pods.metric.name, at),
            ...validateTarget(pods.target, at),
            ...(pods.target.averageValue === undefined
              ? [required(`${at}.target.averageValue`, "must specify a positive target averageValue")]
              : []),
          ]
        : [];
    case "resource":
      return resource ? [...named(resource.name, at), ...validateUsage(resource.target, at)] : [];
    case "containerResource":
      return containerResource
        ? [
            ...named(containerResource.name, at),
            ...(containerResource.container === ""
              ? [required(`${at}.container`, "must specify a container")]
              : dnsLabel(containerResource.container).map((why) =>
                  invalid(`${at}.container`, containerResource.container, why),
                )),
            ...validateUsage(containerResource.target, at),
          ]
        : [];
  }
}

const named = (name: string, at: string): FieldError[] =>
  name === "" ? [required(`${at}.name`, "must specify a resource name")] : [];

function validateName(name: string, at: string): FieldError[] {
  if (name === "") return [required(`${at}.metric.name`, "must specify a metric name")];
  return pathSegment(name).map((why) => invalid(`${at}.metric.name`, name, why));
}

const valueOrAverage = (target: MetricTarget, at: string, neither: string): FieldError[] =>
  target.value === undefined && target.averageValue === undefined
    ? [required(`${at}.target.averageValue`, neither)]
    : [];

/** A target for resource usage: an average value, or a percentage of the requests. */
function validateUsage(target: MetricTarget, at: string): FieldError[] {
  const { averageUtilization, averageValue } = target;
  const errors = validateTarget(target, at);
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(
      required(`${at}.target.averageUtilization`, "must set either a target raw value or a target utilization"),
    );
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(forbidden(`${at}.target.averageValue`, "may not set both a target raw value and a target utilization"));
  return errors;
}

const targetTypes = ["Utilization", "Value", "AverageValue"];
const zero = parseQuantity("0");

function validateTarget({ type, value, averageValue, averageUtilization }: MetricTarget, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${at}.target.type`, "must specify a metric target type"));
  if (!targetTypes.includes(type))
    errors.push(invalid(`${at}.target.type`, type, "must be either Utilization, Value, or AverageValue"));
  for (const [field, amount] of Object.entries({ value, averageValue }))
    if (amount !== undefined && compareQuantities(parseQuantity(amount), zero) <= 0)
      errors.push(invalid(`${at}.target.${field}`, amount, "must be positive"));
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(`${at}.target.averageUtilization`, averageUtilization, "must be greater than 0"));
  return errors;
}

export function validateReference(
  { kind, name, apiVersion = "" }: CrossVersionObjectReference,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [field, value] of Object.entries({ kind, name }))
    if (value === "") errors.push(required(`${at}.${field}`));
    else for (const why of pathSegment(value)) errors.push(invalid(`${at}.${field}`, value, why));
  if (apiVersion.split("/").length > 2)
    errors.push(invalid(`${at}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  return errors;
}
