import { writeJson } from "../../../language/object/exact-json.ts";
import { collectErrors } from "../../../language/schema/collect-errors.ts";
import { isObject, type Json, type JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { applyConfiguration, type ApplyConflict } from "../../../language/patch/apply-configuration.ts";
import { PatchError } from "../../../language/patch/patch-error.ts";
import { strayNulls } from "../../../language/schema/stray-null.ts";
import { DecodeError } from "../kinds/decode/decoding.ts";
import { apiVersion } from "../registry.ts";
import { badRequest, invalidObject, notFound, StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { acrossVersions } from "./across-versions.ts";
import { timestamp, type Answer, type RequestContext } from "./context.ts";
import { insert } from "./create.ts";
import { ignoredFor } from "./ignored-fields.ts";
import { checkKind, decodeAs } from "./incoming.ts";
import type { WriteOptions } from "./options.ts";
import { replace } from "./update.ts";

/** Server-side apply: the manager sends the fields it wants, and owns exactly those. */
export async function apply(
  context: RequestContext,
  live: Entry | undefined,
  value: Json,
  options: WriteOptions,
): Promise<Answer> {
  const { resource, name, subresource } = context;
  if (!isObject(value) || value.apiVersion === undefined || value.kind === undefined)
    throw badRequest("the applied object must name its apiVersion and kind");
  checkKind(resource, value);
  const config = configuration(context, value);
  if (!live && subresource !== "") throw notFound(resource.group, resource.plural, name);
  const object = await appliedTo(context, live, config, options);
  return live
    ? replace(context, { live, object, options, managed: "apply" })
    : insert(context, object, options, "apply");
}

/** The object with the configuration merged into it, and its new managers. */
export async function appliedTo(
  context: RequestContext,
  live: Entry | undefined,
  config: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { resource, services, subresource } = context;
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
  return object;
}

function refuseNulls({ resource, subresource, name }: RequestContext, { metadata: _, ...content }: KubeObject): void {
  const { status, ...main } = content;
  // Only the part that the endpoint writes.
  const written = subresource === "" ? (resource.subresources.status ? main : content) : { status };
  const nulls = collectErrors(() => strayNulls(written, resource.schema));
  if (nulls.length === 0) return;
  // Validated like a new object, so that other faults are reported too.
  const asNew = { ...written, metadata: { name } } as KubeObject;
  const faults = collectErrors(() => resource.strategy.validate?.(asNew) ?? []);
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

/** Repeated keys of an applied configuration. */
export function reportRepeated(duplicates: readonly string[], options: WriteOptions, warnings: string[]): void {
  if (duplicates.length === 0) return;
  const complaint = `error converting YAML to JSON: ${duplicates.join(", ")}`;
  if (options.fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${complaint}`);
  if (options.fieldValidation === "Warn") warnings.push(complaint);
}

/** The response to a patch that cannot be applied. */
export function statusOf(error: PatchError): StatusError {
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

/** A patch names another object than its URL. */
export function otherName(found: Json | undefined, name: string): StatusError {
  const shown = typeof found === "string" ? found : writeJson(found ?? "");
  return badRequest(`the name of the object (${shown}) does not match the name on the URL (${name})`);
}
