import type { Container, PodSpec } from "kubernetes-types/core/v1.js";
import { parseQuantity } from "../../../../language/object/quantity.ts";

/** Amounts by resource: cpu in thousandths, all others in whole units. */
export type ResourceAmounts = ReadonlyMap<string, number>;

type ResourceList = Readonly<Record<string, string>> | undefined;

export function amountsOf(resources: ResourceList): ResourceAmounts {
  const amounts = new Map<string, number>();
  for (const [name, text] of Object.entries(resources ?? {})) amounts.set(name, amountOf(name, text));
  return amounts;
}

function amountOf(name: string, text: string): number {
  const { mantissa, exponent } = parseQuantity(text);
  // Scaled in the text, where it is exact: 0.007 × 1000 is a little more than 7.
  return Math.ceil(Number(`${mantissa}e${exponent + (name === "cpu" ? 3 : 0)}`));
}

type Requesting = Pick<PodSpec, "containers" | "initContainers" | "overhead"> & {
  resources?: { requests?: ResourceList };
};

/**
 * The effective requests of a pod. Init containers run one after another, so the largest counts, together with the
 * sidecars that started before it; overhead is added.
 */
export function podRequests(spec: Requesting): ResourceAmounts {
  const staying = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const requests = requestsOf(container);
    if (isRestartable(container)) {
      add(staying, requests);
      raise(peak, staying);
    } else raise(peak, sum(staying, requests));
  }
  const total = new Map(staying);
  for (const container of spec.containers) add(total, requestsOf(container));
  raise(total, peak);
  for (const [name, amount] of amountsOf(spec.resources?.requests)) total.set(name, amount);
  add(total, amountsOf(spec.overhead));
  return total;
}

function requestsOf(container: Container): ResourceAmounts {
  return amountsOf(container.resources?.requests);
}

function isRestartable(container: Container): boolean {
  return (container as { restartPolicy?: string }).restartPolicy === "Always";
}

function sum(a: ResourceAmounts, b: ResourceAmounts): Map<string, number> {
  const both = new Map(a);
  add(both, b);
  return both;
}

function add(total: Map<string, number>, more: ResourceAmounts): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + amount);
}

function raise(total: Map<string, number>, least: ResourceAmounts): void {
  for (const [name, amount] of least) total.set(name, Math.max(total.get(name) ?? 0, amount));
}
