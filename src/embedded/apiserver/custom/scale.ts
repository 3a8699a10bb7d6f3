import { asInteger, writeJson } from "../../../language/object/exact-json.ts";
import { clone, get, isObject, set } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { invalid, type FieldError } from "../../../language/schema/field-error.ts";
import type { Subresource } from "../resource.ts";
import { badRequest, internal } from "../status-error.ts";

type ScaleSubresource = Extract<Subresource, { type: "scale" }>;

/** Marks missing replicas in a scale, to detect a patch that does not set them. */
const NOT_SET = -2147483648;
const MAX_INT32 = 2147483647;

/** The response to a GET of `/scale`. */
export function readScale(object: KubeObject, subresource: ScaleSubresource): KubeObject {
  const scale = toScale(object, subresource);
  if (at(object, subresource.specReplicasPath) === undefined)
    throw internal(`the spec replicas field "${subresource.specReplicasPath}" does not exist`);
  return scale;
}

/** The object as `autoscaling/v1` Scale: the response to a write of `/scale`. */
export function toScale(object: KubeObject, subresource: ScaleSubresource): KubeObject {
  const replicas = integerAt(object, subresource.specReplicasPath) ?? 0;
  const observed = integerAt(object, subresource.statusReplicasPath) ?? 0;
  const { labelSelectorPath, labelSelector } = subresource;
  const selector = labelSelectorPath ? stringAt(object, labelSelectorPath) : labelSelector?.(object);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: observed, ...(selector ? { selector } : {}) },
  };
}

/** The object that a patch of `/scale` is applied to. */
export function scaleToPatch(object: KubeObject, subresource: ScaleSubresource): KubeObject {
  const scale = toScale(object, subresource);
  if (at(object, subresource.specReplicasPath) === undefined) scale["spec"] = { replicas: NOT_SET };
  return scale;
}

/** A copy of the object with the replicas of the scale, and its resourceVersion if it has one. */
export function applyScale(object: KubeObject, scale: KubeObject, subresource: ScaleSubresource): KubeObject {
  const replicas = get(scale["spec"], "replicas") ?? 0;
  if (replicas === NOT_SET)
    throw badRequest(`the spec replicas field "${subresource.specReplicasPath}" cannot be empty`);
  const scaled = clone(object);
  const path = namesOf(subresource.specReplicasPath);
  const last = path.pop() ?? "";
  let parent: Record<string, unknown> = scaled;
  for (const name of path) {
    let child = get(parent, name);
    if (child === undefined || child === null) set(parent, name, (child = {}));
    if (!isObject(child))
      throw internal(`value cannot be set because ${subresource.specReplicasPath} is not an object`);
    parent = child;
  }
  set(parent, last, replicas);
  if (scale.metadata?.resourceVersion) scaled.metadata.resourceVersion = scale.metadata.resourceVersion;
  return scaled;
}

/** A write of the main endpoint must leave valid replicas too: a non-negative int32. */
export function validateScale(
  object: KubeObject,
  subresource: ScaleSubresource,
  parts: readonly ("spec" | "status")[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (parts.includes("spec")) validateReplicas(object, subresource.specReplicasPath, errors);
  if (parts.includes("status")) {
    validateReplicas(object, subresource.statusReplicasPath, errors);
    const path = subresource.labelSelectorPath;
    const selector = path ? at(object, path) : undefined;
    if (path && selector !== undefined && typeof selector !== "string")
      errors.push(invalid(path, "", mistyped(path, selector, "string")));
  }
  return errors;
}

function validateReplicas(object: KubeObject, path: string, errors: FieldError[]): void {
  const value = at(object, path);
  if (value === undefined) return;
  const replicas = asInteger(value);
  if (replicas === undefined) errors.push(invalid(path, 0, mistyped(path, value, "int64")));
  else if (replicas < 0) errors.push(invalid(path, value, "should be a non-negative integer"));
  else if (replicas > MAX_INT32) errors.push(invalid(path, value, `should be less than or equal to ${MAX_INT32}`));
}

function integerAt(object: KubeObject, path: string): number | undefined {
  const value = at(object, path);
  if (value === undefined || (typeof value === "number" && Number.isInteger(value))) return value;
  throw internal(mistyped(path, value, "int64"));
}

function stringAt(object: KubeObject, path: string): string | undefined {
  const value = at(object, path);
  if (value === undefined || typeof value === "string") return value;
  throw internal(mistyped(path, value, "string"));
}

function at(object: KubeObject, path: string): unknown {
  let value: unknown = object;
  for (const name of namesOf(path)) value = get(value, name);
  return value;
}

/** Scale paths consist of dots and names, without brackets and escapes. */
function namesOf(path: string): string[] {
  return (path.startsWith(".") ? path.slice(1) : path).split(".");
}

function mistyped(path: string, value: unknown, expected: string): string {
  const shown = typeof value === "string" ? value : writeJson(value);
  return `${path} accessor error: ${shown} is of the type ${goType(value)}, expected ${expected}`;
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number" || typeof value === "bigint")
    return asInteger(value) === undefined ? "float64" : "int64";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map[string]interface {}";
}
