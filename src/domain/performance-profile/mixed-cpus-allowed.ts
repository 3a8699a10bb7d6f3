import { at, get } from "../../language/object/json.ts";
import type { KindRef } from "../../language/object/kind-ref.ts";
import type { KubeObject } from "../../language/object/meta.ts";

/** There is one, named `cluster`. */
export const featureGateKind: KindRef = {
  apiVersion: "config.openshift.io/v1",
  kind: "FeatureGate",
  plural: "featuregates",
  namespaced: false,
};

const gate = "MixedCPUsAllocation";

/** Sets of features that come with it, where the cluster has not yet worked out which features that means. */
const sets = ["TechPreviewNoUpgrade", "DevPreviewNoUpgrade"];

/** Whether the cluster's FeatureGate lets pods mix isolated and shared CPUs. */
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
