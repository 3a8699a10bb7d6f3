import { at, get } from "../../language/object/json.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";

/** A singleton named `cluster`. */
export const featureGateKind: KindRef = {
  apiVersion: "config.openshift.io/v1",
  kind: "FeatureGate",
  plural: "featuregates",
  namespaced: false,
};

const gate = "MixedCPUsAllocation";

/** Feature sets that include the gate, for clusters whose status does not list gates yet. */
const sets = ["TechPreviewNoUpgrade", "DevPreviewNoUpgrade"];

/** Whether the cluster's FeatureGate allows pods to mix isolated and shared CPUs. */
export function mixedCpusAllowed(featureGate: KubeObject | undefined): boolean {
  const decided = listAt(featureGate, "status", "featureGates");
  if (decided.some((one) => isNamed(listAt(one, "enabled")))) return true;
  if (decided.some((one) => isNamed(listAt(one, "disabled")))) return false;
  const set = at(featureGate, "spec", "featureSet");
  if (set === "CustomNoUpgrade") return listAt(featureGate, "spec", "customNoUpgrade", "enabled").includes(gate);
  return typeof set === "string" && sets.includes(set);
}

function isNamed(gates: readonly unknown[]): boolean {
  return gates.some((one) => get(one, "name") === gate);
}

function listAt(value: unknown, ...path: string[]): readonly unknown[] {
  const list = at(value, ...path);
  return Array.isArray(list) ? list : [];
}
