import { addQuantities, compareQuantities, parseQuantity, roundUpQuantity, type Quantity } from "../object/quantity.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** Of a container, or of a pod as a whole. */
export interface Resources {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

export interface Container {
  readonly name: string;
  readonly resources?: Resources;
}

const counted = ["cpu", "memory"] as const;
const zero = parseQuantity("0");

/**
 * As in a pod's status. Guaranteed: every container has limits for cpu and memory, equal to its requests. BestEffort: none has either.
 * Where the pod has resources as a whole, they alone decide.
 */
export function qosClass(spec: {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly resources?: Resources;
}): QosClass {
  const { requests: ofPod = {}, limits: mostOfPod = {} } = spec.resources ?? {};
  const whole = Object.keys(ofPod).length + Object.keys(mostOfPod).length > 0 ? spec.resources : undefined;
  const containers = whole ? [{ resources: whole }] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let everyContainerLimited = true;
  for (const { resources } of containers) {
    collect(resources?.requests, requests);
    const limited = collect(resources?.limits, limits);
    if (limited < counted.length) everyContainerLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  if (!everyContainerLimited || requests.size !== limits.size) return "Burstable";
  for (const [name, request] of requests) {
    const limit = limits.get(name);
    if (!limit || compareQuantities(limit, request) !== 0) return "Burstable";
  }
  return "Guaranteed";
}

function collect(amounts: Readonly<Record<string, string>> | undefined, into: Map<string, Quantity>): number {
  let found = 0;
  for (const name of counted) {
    const amount = amountOf(amounts, name);
    if (!amount || compareQuantities(amount, zero) <= 0) continue;
    found++;
    into.set(name, addQuantities(into.get(name) ?? zero, amount));
  }
  return found;
}

/**
 * The class by which CPU partitioning in API server and kubelet decides. It differs from the class in the status: a CPU request
 * of zero counts as one that equals the limit, and a limit without a request is enough.
 */
export function partitioningQosClass(containers: readonly Container[]): QosClass {
  if (isGuaranteed(containers)) return "Guaranteed";
  const asksForNothing = containers.every(({ resources }) =>
    [resources?.requests, resources?.limits].every((amounts) =>
      counted.every((name) => isZero(amountOf(amounts, name))),
    ),
  );
  return asksForNothing ? "BestEffort" : "Burstable";
}

/** Whether CPU partitioning takes the containers for Guaranteed; so it does if there are none. */
export function isGuaranteed(containers: readonly Container[]): boolean {
  return containers.every(({ resources }) =>
    counted.every((name) => {
      const limit = amountOf(resources?.limits, name);
      const request = amountOf(resources?.requests, name);
      if (!limit || isZero(limit)) return false;
      if (!request || (name === "cpu" && isZero(request))) return true;
      return compareQuantities(limit, request) === 0;
    }),
  );
}

const isZero = (amount: Quantity | undefined): boolean => !amount || amount.mantissa === 0n;

/** In thousandths, as the API server stores it. */
function amountOf(amounts: Readonly<Record<string, string>> | undefined, name: string): Quantity | undefined {
  const text = amounts && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
  return text === undefined ? undefined : roundUpQuantity(parseQuantity(text), -3);
}
