import { at, isObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { fromJson } from "../../../../language/schema/cel/json-value.ts";
import { parseTimestamp } from "../../../../language/schema/cel/time-value.ts";
import type { Value } from "../../../../language/schema/cel/value.ts";
import { objectValue } from "./object-value.ts";

/** `namespaceObject`: of the namespace around an object, what expressions may see. */
export function namespaceValue(namespace: KubeObject): Value {
  const { metadata } = namespace;
  const conditions = at(namespace, "status", "conditions");
  return objectValue({
    metadata: objectValue({
      name: metadata.name,
      generateName: metadata.generateName,
      labels: metadata.labels && fromJson(metadata.labels),
      annotations: metadata.annotations && fromJson(metadata.annotations),
      creationTimestamp: time(metadata.creationTimestamp),
      deletionTimestamp: time(metadata.deletionTimestamp),
      deletionGracePeriodSeconds: integer(metadata.deletionGracePeriodSeconds),
      generation: integer(metadata.generation),
      resourceVersion: metadata.resourceVersion,
      finalizers: metadata.finalizers,
    }),
    spec: objectValue({ finalizers: fromJson(at(namespace, "spec", "finalizers") ?? []) }),
    status: objectValue({
      phase: fromJson(at(namespace, "status", "phase") ?? ""),
      conditions: Array.isArray(conditions) ? conditions.map(conditionValue) : undefined,
    }),
  });
}

function conditionValue(condition: unknown): Value {
  const text = (name: string): Value | undefined => {
    const value = at(condition, name);
    return typeof value === "string" ? value : undefined;
  };
  return objectValue({
    type: text("type"),
    status: text("status"),
    reason: text("reason"),
    message: text("message"),
    lastTransitionTime: isObject(condition) ? time(condition.lastTransitionTime) : undefined,
  });
}

const time = (text: unknown): Value | undefined => (typeof text === "string" ? parseTimestamp(text) : undefined);
const integer = (value: number | undefined): Value | undefined => (value === undefined ? undefined : BigInt(value));
