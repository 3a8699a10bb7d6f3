import { writeJson } from "../../../language/object/exact-json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { asStored } from "../conversion/stored-version.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { Answer, RequestContext } from "../request/context.ts";
import type { StatusError } from "../status-error.ts";
import { headOf } from "../storage/object-codec.ts";
import type { Entry } from "../storage/store.ts";
import { partialMetadata, partialMetadataList } from "../table/partial-metadata.ts";
import { toTable } from "../table/table.ts";
import type { HttpResponse } from "./exchange.ts";
import type { Representation } from "./negotiate.ts";
import { respondPieces } from "./respond-pieces.ts";
import { sendWarnings } from "./warnings.ts";

const comma = Buffer.from(",");
const openBrace = Buffer.from("{");

export function respondJson(
  response: HttpResponse,
  code: number,
  body: Buffer | string,
  contentType = "application/json",
): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.writeHead(code, {
    "content-type": contentType,
    "content-length": bytes.length,
    "cache-control": "no-cache, private",
  });
  response.end(bytes);
}

export function respondText(response: HttpResponse, code: number, text: string): void {
  respondJson(response, code, text, "text/plain; charset=utf-8");
}

export async function respondObject(
  response: HttpResponse,
  code: number,
  object: object,
  representation: Representation,
): Promise<void> {
  if (representation.format === "json") return respondJson(response, code, writeJson(object));
  const { writeYaml } = await import("../../../language/object/write-yaml.ts");
  respondJson(response, code, writeYaml(object), "application/yaml");
}

export async function respondError(
  response: HttpResponse,
  error: StatusError,
  representation: Representation,
): Promise<void> {
  if (error.details?.retryAfterSeconds) response.setHeader("retry-after", String(error.details.retryAfterSeconds));
  return respondObject(response, error.code, error.toStatus(), representation);
}

/** Sends a handler's answer in the representation that the client asked for. */
export async function respond(
  response: HttpResponse,
  context: RequestContext,
  answer: Answer,
  representation: Representation,
): Promise<void> {
  sendWarnings(response, context);
  const converting = showsMetadata(representation)
    ? undefined
    : context.services.views.ready(entriesIn(answer), context.resource);
  if (converting) await converting;
  const plain = representation.format === "json" && representation.as === "object";
  if (plain && answer.type === "entry")
    return respondJson(response, answer.code, context.services.views.bytes(answer.entry, context.resource));
  if (plain && answer.type === "list") return respondList(response, context, answer);
  const code = answer.type === "list" ? 200 : answer.code;
  return respondObject(response, code, reduced(context, answer, representation), representation);
}

/** Metadata is the same in every version: no conversion is needed. */
export function showsMetadata({ as }: Representation): boolean {
  return as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
}

function entriesIn(answer: Answer): readonly Entry[] {
  if (answer.type === "list") return answer.entries;
  return answer.type === "entry" ? [answer.entry] : [];
}

/** Builds a list from the stored bytes, without parsing objects. */
async function respondList(
  response: HttpResponse,
  context: RequestContext,
  answer: Answer & { type: "list" },
): Promise<void> {
  const { resource, services } = context;
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersion(resource))},"metadata":${JSON.stringify(fullMeta(answer, resource))},"items":[`;
  const cut = headOf(resource.kind, apiVersion(resource)).length;
  const pieces: Buffer[] = [Buffer.from(head)];
  answer.entries.forEach((entry, index) => {
    if (index > 0) pieces.push(comma);
    const bytes = services.views.bytes(entry, resource);
    // As kube-apiserver: items of a built-in list have no kind and apiVersion, custom ones do.
    if (resource.origin === "builtin") pieces.push(openBrace, bytes.subarray(cut));
    else pieces.push(bytes);
  });
  pieces.push(Buffer.from("]}\n"));
  return respondPieces(response, pieces);
}

function reduced(context: RequestContext, answer: Answer, representation: Representation): object {
  const { as } = representation;
  const { resource, services } = context;
  const objectOf = (entry: Entry): KubeObject =>
    services.views.object(entry, showsMetadata(representation) ? asStored(resource, entry) : resource);
  if (answer.type === "object" && (as === "object" || (answer.object as KubeObject).kind === "Status"))
    return answer.object;
  const objects =
    answer.type === "list"
      ? answer.entries.map(objectOf)
      : [answer.type === "entry" ? objectOf(answer.entry) : (answer.object as KubeObject)];
  const { resourceVersion } = objects[0]?.metadata ?? {};
  const meta = answer.type === "list" ? listMeta(answer) : resourceVersion === undefined ? {} : { resourceVersion };
  switch (as) {
    case "Table":
      return toTable({
        resource,
        objects,
        listMeta: meta,
        includeObject: includeObject(context.query),
        now: services.clock.now(),
      });
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return answer.type === "list" ? partialMetadataList(objects, meta) : partialMetadata(objects[0] as KubeObject);
    default:
      return answer.type === "list"
        ? {
            kind: resource.listKind,
            apiVersion: apiVersion(resource),
            metadata: fullMeta(answer, resource),
            items: objects.map(resource.origin === "builtin" ? untyped : same),
          }
        : (objects[0] as KubeObject);
  }
}

const same = (object: KubeObject): object => object;

function untyped({ kind: _, apiVersion: __, ...rest }: KubeObject): object {
  return rest;
}

export function includeObject(query: URLSearchParams): "None" | "Metadata" | "Object" {
  const value = query.get("includeObject");
  return value === "None" || value === "Object" ? value : "Metadata";
}

/** As kube-apiserver: complete lists of custom kinds have `continue: ""`, those of built-in kinds have none. */
function fullMeta(answer: Answer & { type: "list" }, { origin }: Resource): ReturnType<typeof listMeta> {
  return { ...listMeta(answer), ...(origin === "custom" && !answer.continue ? { continue: "" } : {}) };
}

function listMeta(answer: Answer & { type: "list" }): {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
} {
  return {
    resourceVersion: String(answer.revision),
    ...(answer.continue ? { continue: answer.continue } : {}),
    ...(answer.remaining === undefined ? {} : { remainingItemCount: answer.remaining }),
  };
}
