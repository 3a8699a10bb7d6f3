import { get, type JsonObject } from "../../../language/object/json.ts";

const system = ["system-reserved", "system-reserved-compressible"];

/**
 * The merged fields of a kubelet, so that it starts: with reservedSystemCPUs it accepts no limited control group for the
 * system, and a control group that nothing enforces is refused as well. `own` is what was asked for.
 */
export function consistentReservation(merged: JsonObject, own: JsonObject): JsonObject {
  const enforced = get(merged, "enforceNodeAllocatable");
  const list = Array.isArray(enforced) ? enforced.map(String) : undefined;
  if (get(merged, "reservedSystemCPUs")) {
    const kept = list?.filter((name) => !system.includes(name) && name !== "none") ?? [];
    const withPods = kept.includes("pods") ? kept : ["pods", ...kept];
    return { ...without(merged, "systemReservedCgroup"), ...(list ? { enforceNodeAllocatable: withPods } : {}) };
  }
  const asked = get(own, "enforceNodeAllocatable");
  if (Array.isArray(asked) && !asked.some((name) => system.includes(String(name))))
    return without(merged, "systemReservedCgroup");
  return merged;
}

function without({ ...fields }: JsonObject, name: string): JsonObject {
  delete fields[name];
  return fields;
}
