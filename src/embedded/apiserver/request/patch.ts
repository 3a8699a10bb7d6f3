import { writeJson } from "../../../language/object/exact-json.ts";
import { clone, isObject, type Json, type JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { applyConfiguration, type ApplyConflict } from "../../../language/patch/apply-configuration.ts";
import { applyJsonPatch } from "../../../language/patch/json-patch/json-patch.ts";
import { applyMergePatch } from "../../../language/patch/merge-patch.ts";
import { PatchError } from "../../../language/patch/patch-error.ts";
import { applyStrategicMerge } from "../../../language/patch/strategic/strategic-merge.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import { strayNulls } from "../../../language/schema/stray-null.ts";
import { mediaType, parseJson, parseYaml, type ParsedBody } from "../body/body.ts";
import { maxDepth } from "../body/json-scan.ts";
import { DecodeError } from "../kinds/decode/decoding.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import { badRequest, invalidObject, notFound, StatusError, unsupportedMediaType } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { acrossVersions } from "./across-versions.ts";
import { timestamp, type Answer, type RequestContext } from "./context.ts";
import { insert, placeInNamespace } from "./create.ts";
import { ignoredFor } from "./ignored-fields.ts";
import { checkKind, complaintsAbout, decodeAs } from "./incoming.ts";
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
        return applyJsonPatch(current as Json, body);
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

/** The response to a patch that cannot be applied. */
function statusOf(error: PatchError): StatusError {
  switch (error.kind) {
    case "malformed":
      return badRequest(error.message);
    case "too-large":
      return new StatusError(413, "RequestEntityTooLarge", error.message).causedBy(error);
    case "internal":
      return new StatusError(500, "", error.message).causedBy(error);
    case "unprocessable": {
      const why = "the server rejected our request due to an error in our request";
      return new StatusError(422, "Invalid", why, {}).causedBy(error);
    }
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
  throw badPatch(patched, `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)}`);
}

function otherName(found: Json | undefined, name: string): StatusError {
  const shown = typeof found === "string" ? found : writeJson(found ?? "");
  return badRequest(`the name of the object (${shown}) does not match the name on the URL (${name})`);
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

/** Repeated keys of an applied configuration. */
function reportRepeated(duplicates: readonly string[], options: WriteOptions, warnings: string[]): void {
  if (duplicates.length === 0) return;
  const complaint = `error converting YAML to JSON: ${duplicates.join(", ")}`;
  if (options.fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${complaint}`);
  if (options.fieldValidation === "Warn") warnings.push(complaint);
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

/** Server-side apply: the manager sends the fields it wants, and owns exactly those. */
async function apply(
  context: RequestContext,
  live: Entry | undefined,
  value: Json,
  options: WriteOptions,
): Promise<Answer> {
  const { resource, services, name, subresource } = context;
  if (!isObject(value) || value.apiVersion === undefined || value.kind === undefined)
    throw badRequest("the applied object must name its apiVersion and kind");
  checkKind(resource, value);
  const config = configuration(context, value);
  if (!live && subresource !== "") throw notFound(resource.group, resource.plural, name);
  let result: ReturnType<typeof applyConfiguration>;
  try {
    const applying = acrossVersions(context, (versions) =>
      applyConfiguration({
        versions,
        live: live && services.views.object(live, resource),
        config,
        schema: resource.schema,
        manager: options.fieldManager,
        force: options.force,
        apiVersion: apiVersion(resource),
        subresource,
        time: timestamp(services.clock),
        ignored: ignoredFor(resource, subresource),
      }),
    );
    result = applying instanceof Promise ? await applying : applying;
  } catch (error) {
    throw error instanceof PatchError ? statusOf(error) : error;
  }
  if (result.type === "conflict") throw applyConflict(result.conflicts);
  if (resource.origin === "custom") refuseNulls(context, result.object);
  const object = decodeApplied(context, result.object);
  object.metadata.managedFields = result.object.metadata.managedFields;
  return live
    ? replace(context, { live, object, options, managed: "apply" })
    : insert(context, object, options, "apply");
}

function refuseNulls({ resource, subresource, name }: RequestContext, { metadata: _, ...content }: KubeObject): void {
  const { status, ...main } = content;
  // Only the part that the endpoint writes.
  const written = subresource === "" ? (resource.subresources.status ? main : content) : { status };
  const nulls = strayNulls(written, resource.schema);
  if (nulls.length === 0) return;
  // Validated like a new object, so that other faults are reported too.
  const faults = resource.strategy.validate?.({ ...written, metadata: { name } } as KubeObject) ?? [];
  throw invalidObject(resource.group, resource.kind, name, faults.length > 0 ? faults : nulls);
}

/** The merged object is decoded again, which normalises zero values and sets. */
function decodeApplied({ resource, namespace, name }: RequestContext, applied: KubeObject): KubeObject {
  try {
    return decodeAs(resource, applied as unknown as Json).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const what = `(${namespace}/${name}; ${resource.group}/${resource.version}, Kind=${resource.kind})`;
    throw new StatusError(500, "", `failed to convert new object ${what} to proper version: ${error.message}`);
  }
}

/** The applied configuration, not decoded: an absent field means that the manager does not own it. */
function configuration({ resource, name, namespace }: RequestContext, value: JsonObject): KubeObject {
  const metadata = isObject(value.metadata) ? value.metadata : {};
  if (metadata.managedFields !== undefined && metadata.managedFields !== null)
    throw badRequest("metadata.managedFields must be nil");
  if (metadata.name !== undefined && metadata.name !== name) throw otherName(metadata.name, name);
  if (resource.namespaced && metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  const { resourceVersion } = metadata;
  return {
    ...value,
    apiVersion: apiVersion(resource),
    kind: resource.kind,
    metadata: {
      ...metadata,
      name,
      ...(resource.namespaced ? { namespace } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
    },
  } as unknown as KubeObject;
}

function applyConflict(conflicts: readonly ApplyConflict[]): StatusError {
  const causes = conflicts.map(({ manager, detail, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${JSON.stringify(manager)}${detail}`,
    field,
  }));
  const count = causes.length === 1 ? "1 conflict" : `${causes.length} conflicts`;
  return new StatusError(409, "Conflict", `Apply failed with ${count}: ${byManager(conflicts)}`, { causes });
}

/** Several conflicts with one manager are listed under it, as kubectl shows them. */
function byManager(conflicts: readonly ApplyConflict[]): string {
  const fields = new Map<string, string[]>();
  for (const { manager, detail, field } of conflicts) {
    const whose = `${JSON.stringify(manager)}${detail}`;
    fields.set(whose, [...(fields.get(whose) ?? []), field]);
  }
  return Array.from(fields, ([whose, [first, ...more]]) =>
    more.length === 0
      ? `conflict with ${whose}: ${first}`
      : `conflicts with ${whose}:\n${[first, ...more].map((field) => `- ${field}`).join("\n")}`,
  ).join("\n");
}
