import { writeJson } from "../../../language/object/exact-json.ts";
import { clone, isObject, type Json, type JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { applyJsonPatch } from "../../../language/patch/json-patch/json-patch.ts";
import { applyMergePatch } from "../../../language/patch/merge-patch.ts";
import { PatchError } from "../../../language/patch/patch-error.ts";
import { applyStrategicMerge } from "../../../language/patch/strategic/strategic-merge.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import { mediaType, parseJson, parseYaml, type ParsedBody } from "../body/body.ts";
import { maxDepth } from "../../../language/object/json-bounds.ts";
import { DecodeError } from "../kinds/decode/decoding.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { badRequest, invalidObject, notFound, StatusError, unsupportedMediaType } from "../status-error.ts";
import { apply, otherName, reportRepeated, statusOf } from "./apply.ts";
import type { Answer, RequestContext } from "./context.ts";
import { placeInNamespace } from "./create.ts";
import { complaintsAbout, decodeAs } from "./incoming.ts";
import { mayWait, onNewest } from "./on-newest.ts";
import { writeOptions, type WriteOptions } from "./options.ts";
import { replace } from "./update.ts";

const types = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
} as const;

export async function patch(context: RequestContext, text: string, contentType: string | undefined): Promise<Answer> {
  const { resource, services } = context;
  const media = mediaType(contentType);
  const type = Object.hasOwn(types, media) ? types[media as keyof typeof types] : undefined;
  if (!type) throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  if (type === "strategic" && resource.origin === "custom")
    throw unsupportedMediaType(
      Object.keys(types).filter((media) => types[media as keyof typeof types] !== "strategic"),
    );
  const options = writeOptions(context.query, "PatchOptions", context.userAgent, type === "apply");
  if (type === "apply") {
    const { value, duplicates } = await parseYaml(text, resource.kind);
    reportRepeated(duplicates, options, context.warnings);
    const isKept = mayWait(context);
    return onNewest(context, async (live) => apply(context, live, isKept ? clone(value) : value, options));
  }
  return onNewest(context, async (live) => {
    const { value: body, duplicates } = parseJson(text, resource.kind);
    if (!live) throw notFound(resource.group, resource.plural, context.name);
    const current = services.views.object(live, resource);
    const patched = patchedBy(type, current, body, resource);
    if (nestsTooDeep(patched)) throw badRequest(`the patched object nests deeper than ${maxDepth} levels`);
    checkUnmoved(context, patched);
    const object = decodePatched(context, patched, { value: body, duplicates }, options);
    return replace(context, { live, object, options, managed: "update" });
  });
}

/** Otherwise repeated patches could build deeper objects than a request may send. */
function nestsTooDeep(value: Json, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth >= maxDepth || Object.values(value).some((child) => nestsTooDeep(child, depth + 1));
}

function patchedBy(type: "json" | "merge" | "strategic", current: KubeObject, body: Json, resource: Resource): Json {
  try {
    switch (type) {
      case "json":
        return applyJsonPatch(clone(current) as Json, body);
      case "merge":
        if (!isObject(body)) throw new PatchError("malformed", "a merge patch must be an object");
        return applyMergePatch(current as Json, body);
      case "strategic":
        if (!isObject(body) && body !== null)
          throw new PatchError("malformed", "a strategic merge patch must be an object");
        return applyStrategicMerge(current as JsonObject, body ?? {}, resource.schema);
    }
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.kind === "malformed") throw badRequest(`error decoding patch: ${error.message}`);
    throw statusOf(error);
  }
}

/** A patch may not change kind, apiVersion or name. */
function checkUnmoved({ name, resource }: RequestContext, patched: Json): void {
  const metadata = isObject(patched) ? (patched.metadata ?? {}) : null;
  if (!isObject(metadata)) throw badPatch(patched, "metadata is no object");
  checkPatchedKind(resource, patched as JsonObject, name);
  if (metadata.name !== name) throw otherName(metadata.name, name);
}

function checkPatchedKind(resource: Resource, patched: JsonObject, name: string): void {
  const { kind, apiVersion: version } = patched;
  if (kind === resource.kind && version === apiVersion(resource)) return;
  if (resource.origin === "custom" && typeof kind === "string" && typeof version === "string")
    throw invalidObject(resource.group, kind, name, [
      kind === resource.kind
        ? invalid("apiVersion", version, `must be ${apiVersion(resource)}`)
        : invalid("kind", kind, `must be ${resource.kind}`),
    ]);
  throw badPatch(patched, `no kind ${writeJson(kind)} is registered for version ${writeJson(version)}`);
}

/** The patched object is not a valid object of the kind. */
function badPatch(patched: Json, why: string): StatusError {
  return invalidObject("", "", "", [invalid("patch", writeJson(patched), why)]);
}

function decodePatched(context: RequestContext, patched: Json, body: ParsedBody, options: WriteOptions): KubeObject {
  const { resource } = context;
  try {
    const { object, unknown } = decodeAs(resource, patched);
    report([...body.duplicates, ...complaintsAbout(unknown, [])], options, context.warnings);
    placeInNamespace(context, object);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badPatch(body.value, error.message);
  }
}

function report(complaints: readonly string[], options: WriteOptions, warnings: string[]): void {
  if (complaints.length > 0 && options.fieldValidation === "Strict")
    throw invalidObject("", "", "", [
      {
        reason: "FieldValueInvalid",
        field: "patch",
        message: `Invalid value: strict decoding error: ${complaints.join(", ")}`,
      },
    ]);
  if (options.fieldValidation === "Warn") warnings.push(...complaints);
}
