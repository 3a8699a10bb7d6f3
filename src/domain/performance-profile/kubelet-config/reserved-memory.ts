import { at, get, type JsonObject } from "../../../language/object/json.ts";
import { addQuantities, formatQuantity, isQuantity, parseQuantity } from "../../../language/object/quantity.ts";

/** Under these policies memory comes from the NUMA node of the CPUs, so the kubelet accounts for the memory of each node. */
export function alignsMemory({ topologyPolicy }: { readonly topologyPolicy: string }): boolean {
  return topologyPolicy === "restricted" || topologyPolicy === "single-numa-node";
}

/** Memory that the kubelet reserves: for itself, for the system, and as the eviction threshold. */
const keptBack = [
  ["kubeReserved", "memory"],
  ["systemReserved", "memory"],
  ["evictionHard", "memory.available"],
] as const;

/** With the static memory manager, the kubelet starts only if `reservedMemory` is the sum of these reservations. */
export function reservedMemory(fields: JsonObject): JsonObject {
  if (isSetAside(fields)) return {};
  const amounts = keptBack.map((path) => at(fields, ...path)).filter(isAmount);
  if (amounts.length < keptBack.length) return {};
  const memory = formatQuantity(amounts.map(parseQuantity).reduce(addQuantities));
  return { reservedMemory: [{ numaNode: 0, limits: { memory } }] };
}

/** Reservations that cannot be added up, by their path, such as a percentage of a memory of unknown size. */
export function unknownAmounts(fields: JsonObject): readonly { readonly path: string; readonly value: unknown }[] {
  if (isSetAside(fields)) return [];
  return keptBack.flatMap(([name, key]) => {
    const value = at(fields, name, key);
    return value === undefined || isAmount(value) ? [] : [{ path: `${name}[${key}]`, value }];
  });
}

function isSetAside(fields: JsonObject): boolean {
  const list = get(fields, "reservedMemory");
  return Array.isArray(list) && list.length > 0;
}

function isAmount(value: unknown): value is string {
  return typeof value === "string" && isQuantity(value);
}
