import type { PodSpec } from "kubernetes-types/core/v1.js";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
} from "../../../../../language/object/quantity.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const counted = ["cpu", "memory"] as const;
const zero = parseQuantity("0");

/** Guaranteed: every container has limits for cpu and memory, equal to its requests. BestEffort: none has either. */
export function qosClass(spec: PodSpec): QosClass {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let everyContainerLimited = true;
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
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
    const text = amounts?.[name];
    if (text === undefined) continue;
    const amount = parseQuantity(text);
    if (compareQuantities(amount, zero) <= 0) continue;
    found++;
    into.set(name, addQuantities(into.get(name) ?? zero, amount));
  }
  return found;
}
