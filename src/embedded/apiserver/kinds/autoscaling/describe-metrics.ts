import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "kubernetes-types/autoscaling/v2.js";

const shown = 2;
const unknown = "<unknown>";

/** Each metric and its target: `cpu: 20%/80%`. */
export function describeMetrics(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const texts = specs.slice(0, shown).map((spec, index) => describe(spec, statuses[index]));
  return specs.length > shown ? `${texts.join(", ")} + ${specs.length - shown} more...` : texts.join(", ");
}

function describe(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return total(spec.external?.target, status?.external?.current);
    case "Object":
      return total(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? unknown}/${spec.pods?.target.averageValue}`;
    case "Resource":
      return `${spec.resource?.name}: ${share(spec.resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${spec.containerResource?.name}: ${share(spec.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

function total(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value}`;
}

function share(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  const percent = (value: number | undefined, absent: string): string => (value === undefined ? absent : `${value}%`);
  return `${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, "<auto>")}`;
}
