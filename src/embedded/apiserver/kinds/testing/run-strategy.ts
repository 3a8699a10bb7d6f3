import { validateObjectMeta } from "../../../../language/object/validate-meta.ts";
import { clone, deepFreeze, isObject } from "../../../../language/object/json.ts";
import { apiVersionOf, type KubeObject } from "../../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../../language/object/names.ts";
import type { FieldError } from "../../../../language/schema/field-error.ts";
import type { Resource } from "../../resource.ts";
import { decodeBuiltin } from "../decode/decode.ts";

export const shown = (errors: readonly FieldError[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

/** Runs the steps of a create without storage, and returns the object and its faults. */
export function create(resource: Resource, body: Record<string, unknown>): { object: KubeObject; faults: string[] } {
  const { strategy } = resource;
  const metadata = { name: "x", ...(resource.namespaced ? { namespace: "rec" } : {}), ...(body.metadata as object) };
  const { object } = decodeBuiltin(deepFreeze({ ...clone(body), metadata }), resource.schema);
  object.apiVersion = apiVersionOf(resource.group, resource.version);
  object.kind = resource.kind;
  strategy.defaults?.(object);
  strategy.prepareForCreate?.(object, 0, { name: "tester", groups: ["testers"] });
  strategy.admitCreate?.(object, { head: () => undefined, list: () => [] });
  const rules = { namespaced: resource.namespaced, validateName: strategy.validateName ?? dnsSubdomain };
  return {
    object,
    faults: shown([...validateObjectMeta(object.metadata, rules), ...(strategy.validate?.(object) ?? [])]),
  };
}

/** The same for an update through the main endpoint or a subresource of type `status`. */
export function update(
  resource: Resource,
  old: KubeObject,
  change: Record<string, unknown>,
  subresource = "",
): { object: KubeObject; faults: string[] } {
  const body = clone(old);
  merge(body, change);
  const before = deepFreeze(clone(old));
  const { object } = decodeBuiltin(body, resource.schema);
  const { strategy } = resource;
  strategy.defaults?.(object);
  const part = resource.subresources[subresource];
  if (part?.type === "status") {
    const writes = new Set(["metadata", ...(part.writes ?? ["status"])]);
    for (const field of Object.keys(object)) if (!writes.has(field)) object[field] = clone(before[field]);
    part.prepareForUpdate?.(object, before, 0);
    return { object, faults: shown(part.validateUpdate?.(object, before) ?? []) };
  }
  for (const field of strategy.ignoredFields ?? []) object[field] = clone(before[field]);
  strategy.prepareForUpdate?.(object, before);
  const faults = [...(strategy.validate?.(object) ?? []), ...(strategy.validateUpdate?.(object, before) ?? [])];
  return { object, faults: shown(faults) };
}

/** JSON merge patch, as far as the tests need it. */
function merge(target: Record<string, unknown>, change: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(change)) {
    const own = target[key];
    if (value === null) delete target[key];
    else if (isObject(value) && isObject(own)) merge(own, value);
    else target[key] = clone(value);
  }
}

/** The cells of a row, by column name. */
export function row(resource: Resource, object: unknown, now = 0): Record<string, unknown> {
  return Object.fromEntries(resource.columns.map(({ name, cell }) => [name, cell(object as KubeObject, now)]));
}
