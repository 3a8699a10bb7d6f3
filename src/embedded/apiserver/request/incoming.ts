import { at, isObject, type Json, type JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import { decodeCustom } from "../custom/decode-custom.ts";
import type { ParsedBody } from "../body/body.ts";
import { maxComplaints } from "../body/json-scan.ts";
import { decodeBuiltin } from "../kinds/decode/decode.ts";
import { DecodeError } from "../kinds/decode/decoding.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { badRequest, invalidObject } from "../status-error.ts";
import type { WriteOptions } from "./options.ts";

export interface Decoded {
  readonly object: KubeObject;
  /** Paths of fields that the kind does not have; they were dropped. */
  readonly unknown: string[];
}

/** A client's object decoded by the kind's schema: typed and pruned, not yet defaulted. */
export function decodeAs(resource: Resource, value: Json): Decoded {
  if (!isObject(value)) throw badRequest(`${resource.kind} must be an object`);
  const decoded =
    resource.origin === "builtin" ? decodeBuiltin(value, resource.schema) : decodeCustom(value as never, resource);
  const { object } = decoded;
  object.kind = resource.kind;
  object.apiVersion = apiVersion(resource);
  if (!isObject(object.metadata)) object.metadata = {};
  // Decoding drops empty lists, but an empty managedFields means: reset all managers.
  if (Array.isArray(at(value, "metadata", "managedFields"))) object.metadata.managedFields ??= [];
  return { object, unknown: decoded.unknown };
}

/** The body of a create or update: kind checked and decoded; fieldValidation decides about unknown fields. */
export function incoming(resource: Resource, body: ParsedBody, options: WriteOptions, warnings: string[]): KubeObject {
  // Go reads a null as an object with nothing in it.
  const value = body.value === null && resource.origin === "builtin" ? {} : body.value;
  checkKind(resource, value);
  let decoded: Decoded;
  try {
    decoded = decodeAs(resource, value);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(cannotHandle(resource, value, error.message));
    throw error;
  }
  const complaints = complaintsAbout(decoded.unknown, body.duplicates);
  if (complaints.length > 0 && options.fieldValidation === "Strict")
    throw badRequest(cannotHandle(resource, value, `strict decoding error: ${complaints.join(", ")}`));
  if (options.fieldValidation === "Warn") warnings.push(...complaints);
  return decoded.object;
}

/** Of a hostile body there could be hundreds of thousands. */
export function complaintsAbout(unknown: readonly string[], duplicates: readonly string[]): string[] {
  return [
    ...unknown.slice(0, maxComplaints).map((field) => `unknown field ${JSON.stringify(field)}`),
    ...duplicates,
  ].slice(0, maxComplaints);
}

/** Kind and apiVersion default to those of the URL; others are refused. */
export function checkKind(resource: Resource, value: Json): void {
  if (!isObject(value)) throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind})`);
  const kind = value.kind ?? resource.kind;
  const version = value.apiVersion ?? apiVersion(resource);
  if (kind === resource.kind && version === apiVersion(resource)) return;
  if (typeof kind !== "string" || typeof version !== "string")
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind`,
    );
  if (resource.origin === "custom" && version === apiVersion(resource))
    throw invalidObject(resource.group, resource.kind, nameIn(value), [
      invalid("kind", kind, `must be ${resource.kind}`),
    ]);
  throw badRequest(
    cannotHandle(
      resource,
      value,
      kind === resource.kind
        ? `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)}`
        : `the request is for ${resource.kind} in version ${JSON.stringify(apiVersion(resource))}`,
    ),
  );
}

function nameIn(value: JsonObject): string {
  const name = at(value, "metadata", "name");
  return typeof name === "string" ? name : "";
}

function cannotHandle(resource: Resource, value: Json, why: string): string {
  const kind = isObject(value) && typeof value.kind === "string" ? value.kind : resource.kind;
  const given = isObject(value) && typeof value.apiVersion === "string" ? value.apiVersion : apiVersion(resource);
  const version = given.slice(given.indexOf("/") + 1);
  return `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${why}`;
}
