import type { PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import type { RuntimeClass } from "kubernetes-types/node/v1.js";
import { clone, equal, set } from "../../../../language/object/json.ts";
import { compareQuantities, parseQuantity } from "../../../../language/object/quantity.ts";
import type { Lookup } from "../../resource.ts";
import { type AdmissionPlugin, type Attributes, refused } from "../admission.ts";

/** Adds overhead, nodeSelector and tolerations of its RuntimeClass to a pod. */
export function runtimeClass(objects: Lookup): AdmissionPlugin {
  return {
    name: "RuntimeClass",
    handles: ({ operation, resource, subresource }) =>
      operation === "CREATE" && resource.plural === "pods" && resource.group === "" && subresource === "",
    admit: (attributes) => {
      const spec = specOf(attributes);
      const found = classOf(attributes, spec, objects);
      const overhead = found?.overhead?.podFixed;
      if (overhead) {
        if (Object.keys(spec.overhead ?? {}).length > 0 && !sameAmounts(spec.overhead, overhead))
          throw mismatch(attributes);
        spec.overhead = clone(overhead);
      }
      if (found?.scheduling) schedule(attributes, spec, found.scheduling);
    },
    validate: (attributes) => {
      const spec = specOf(attributes);
      const overhead = classOf(attributes, spec, objects)?.overhead?.podFixed;
      if (overhead) {
        if (!sameAmounts(spec.overhead, overhead)) throw mismatch(attributes);
      } else if (spec.overhead)
        throw refused(attributes, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    },
  };
}

const specOf = ({ object }: Attributes): PodSpec => object?.spec as PodSpec;

function classOf(attributes: Attributes, spec: PodSpec, objects: Lookup): RuntimeClass | undefined {
  const name = spec.runtimeClassName;
  if (name === undefined) return undefined;
  const found = objects.head("runtimeclasses.node.k8s.io", name);
  if (!found) throw refused(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found as unknown as RuntimeClass;
}

const mismatch = (attributes: Attributes): Error =>
  refused(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");

/** Compares quantities: `1Gi` equals `1024Mi`. */
function sameAmounts(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) =>
        Object.hasOwn(b, name) &&
        compareQuantities(parseQuantity(a[name] as string), parseQuantity(b[name] as string)) === 0,
    )
  );
}

function schedule(attributes: Attributes, spec: PodSpec, scheduling: NonNullable<RuntimeClass["scheduling"]>): void {
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  const selector: Record<string, string> = { ...spec.nodeSelector };
  for (const [key, value] of Object.entries(nodeSelector)) {
    if (Object.hasOwn(selector, key) && selector[key] !== value)
      throw refused(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${selector[key]}`,
      );
    set(selector, key, value);
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const merged = mergeTolerations([...(spec.tolerations ?? []), ...clone(tolerations)]);
  if (merged.length > 0) spec.tolerations = merged;
}

/** Drops tolerations that another toleration includes. */
function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    if (merged.some((other) => includes(other, toleration))) continue;
    if (all.slice(index + 1).some((other) => !equal(other, toleration) && includes(other, toleration))) continue;
    merged.push(toleration);
  }
  return merged;
}

function includes(wide: Toleration, narrow: Toleration): boolean {
  if (equal(wide, narrow)) return true;
  const { key = "", operator = "Equal", effect = "", value = "", tolerationSeconds } = wide;
  if ((narrow.key ?? "") !== key && (key !== "" || operator !== "Exists")) return false;
  if (effect !== "" && (narrow.effect ?? "") !== effect) return false;
  if (effect === "NoExecute" && tolerationSeconds !== undefined)
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > tolerationSeconds) return false;
  if (operator === "Exists") return true;
  // As kube-apiserver: a toleration without an operator is not included by value.
  return operator === "Equal" && narrow.operator === "Equal" && (narrow.value ?? "") === value;
}
