import { fromJson } from "../../../../language/schema/cel/json-value.ts";
import { ObjectValue, type Value } from "../../../../language/schema/cel/value.ts";
import { at, isObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { parseTimestamp } from "../../../../language/schema/cel/time-value.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";

/** `request`. Empty strings are absent, so that `has(request.subResource)` works. */
export function requestValue(attributes: Attributes, shownAs: Resource): Value {
  const { subresource, name, namespace, operation, dryRun, options, resource, user } = attributes;
  return objectValue({
    kind: kindValue(attributes, shownAs),
    resource: resourceValue(shownAs),
    subResource: subresource || undefined,
    requestKind: kindValue(attributes, resource),
    requestResource: resourceValue(resource),
    requestSubResource: subresource || undefined,
    name: name || undefined,
    namespace: namespace || undefined,
    operation,
    userInfo: objectValue({
      username: user.name || undefined,
      uid: user.uid || undefined,
      groups: user.groups.length > 0 ? user.groups : undefined,
      extra: Object.keys(user.extra ?? {}).length > 0 ? fromJson(user.extra) : undefined,
    }),
    dryRun,
    options: fromJson(options),
  });
}

/** Caches: they are the same for all writes, and each write would make four of them. */
const kindValues = new WeakMap<object, Value>();
const resourceValues = new WeakMap<object, Value>();

/** A subresource with its own kind has only one version. */
function kindValue({ kind: spoken, resource }: Attributes, shownAs: Resource): Value {
  const of = spoken.kind === resource.kind ? shownAs : spoken;
  let value = kindValues.get(of);
  if (value === undefined) {
    const { group, version, kind } = of;
    kindValues.set(of, (value = objectValue({ group, version, kind })));
  }
  return value;
}

function resourceValue(resource: Resource): Value {
  let value = resourceValues.get(resource);
  if (value === undefined) {
    const { group, version, plural } = resource;
    resourceValues.set(resource, (value = objectValue({ group, version, resource: plural })));
  }
  return value;
}

/** `namespaceObject`: the fields of a namespace that expressions may see. */
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

/** Undefined fields are absent. */
export function objectValue(fields: Readonly<Record<string, Value | undefined>>): Value {
  const present = new Map<string, Value>();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) present.set(name, value);
  return new ObjectValue(present);
}
