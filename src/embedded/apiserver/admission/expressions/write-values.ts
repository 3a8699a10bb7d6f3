import { fromJson } from "../../../../language/schema/cel/json-value.ts";
import { ObjectValue, type Value } from "../../../../language/schema/cel/value.ts";
import { at, isObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { parseTimestamp } from "../../../../language/schema/cel/time-value.ts";
import type { User } from "../../auth/user.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";

/** `request`. Empty strings are absent, so that `has(request.subResource)` works. */
export function requestValue(attributes: Attributes, shownAs: Resource): Value {
  return new ObjectValue(new RequestFields(attributes, shownAs));
}

type Field = (attributes: Attributes, shownAs: Resource) => Value | undefined;

const requestFields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["kind", kindValue],
  ["resource", (_, shownAs) => resourceValue(shownAs)],
  ["subResource", ({ subresource }) => subresource || undefined],
  ["requestKind", (attributes) => kindValue(attributes, attributes.resource)],
  ["requestResource", ({ resource }) => resourceValue(resource)],
  ["requestSubResource", ({ subresource }) => subresource || undefined],
  ["name", ({ name }) => name || undefined],
  ["namespace", ({ namespace }) => namespace || undefined],
  ["operation", ({ operation }) => operation],
  ["userInfo", ({ user }) => userValue(user)],
  ["dryRun", ({ dryRun }) => dryRun],
  ["options", ({ options }) => fromJson(options)],
]);

/** Each field is made on first use: conditions read one or two. */
class RequestFields extends Map<string, Value> {
  readonly #attributes: Attributes;
  readonly #shownAs: Resource;

  constructor(attributes: Attributes, shownAs: Resource) {
    super();
    this.#attributes = attributes;
    this.#shownAs = shownAs;
  }

  override get(name: string): Value | undefined {
    let value = super.get(name);
    if (value !== undefined) return value;
    value = requestFields.get(name)?.(this.#attributes, this.#shownAs);
    if (value !== undefined) this.set(name, value);
    return value;
  }

  override has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  override get size(): number {
    return [...this.entries()].length;
  }

  override *entries(): MapIterator<[string, Value]> {
    for (const name of requestFields.keys()) {
      const value = this.get(name);
      if (value !== undefined) yield [name, value];
    }
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }
}

function userValue({ name, uid, groups, extra = {} }: User): Value {
  return objectValue({
    username: name || undefined,
    uid: uid || undefined,
    groups: groups.length > 0 ? groups : undefined,
    extra: Object.keys(extra).length > 0 ? fromJson(extra) : undefined,
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
