import { coresForCpu } from "../../../language/cpu/shares.ts";
import { at, text } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { isQuantity, parseQuantity, compareQuantities } from "../../../language/object/quantity.ts";
import { coresOf } from "../names.ts";

export const coresResource = coresOf("management");

/**
 * The capacity that the agent adds to its Node where the kubelet does not: kubelets of Kubernetes know no cores. Undefined: nothing
 * to write. The cores are those of the whole machine; kubelets make them allocatable.
 */
export function missingCores(node: KubeObject): string | undefined {
  const runtime = text(at(node, "status", "nodeInfo", "containerRuntimeVersion"));
  const cpu = at(node, "status", "capacity", "cpu");
  if (!runtime.startsWith("cri-o:") || typeof cpu !== "string") return undefined;
  const wanted = coresForCpu(cpu);
  const known = at(node, "status", "capacity", coresResource);
  const isThere = typeof known === "string" && isQuantity(known) && isSame(known, wanted);
  return isThere ? undefined : wanted;
}

/** What `missingCores` reads: a Node's status may be large. */
export function withoutOtherStatus({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  const of = (...path: string[]): unknown => at(rest, "status", ...path);
  const capacity = { cpu: of("capacity", "cpu"), [coresResource]: of("capacity", coresResource) };
  const nodeInfo = { containerRuntimeVersion: of("nodeInfo", "containerRuntimeVersion") };
  return { apiVersion, kind, metadata, status: { capacity, nodeInfo } };
}

function isSame(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a), parseQuantity(b)) === 0;
}
