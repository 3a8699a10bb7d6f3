import { mayHoldLongInteger, readJson, writeJson } from "../../../language/object/exact-json.ts";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { isObject, set, type Json, type JsonObject } from "../../../language/object/json.ts";
import { badRequest, StatusError, tooLarge, unsupportedMediaType } from "../status-error.ts";
import { beyondBounds, maxDepth } from "../../../language/object/json-bounds.ts";
import type { BodyBudget } from "../../../cluster/runtime/body-budget.ts";
import { GatheredBytes } from "../../../cluster/runtime/gathered-bytes.ts";
import { maxComplaints, scanJson } from "./json-scan.ts";

/** As kube-apiserver: the limit of a request body. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** How much of a refused body is read before the connection is closed. */
const maxUnwantedBytes = 16 * maxBodyBytes;

/**
 * Reading YAML blocks the server for some two microseconds a token. The largest CustomResourceDefinitions in use have some
 * 100,000; kubectl and Go clients send JSON, which has no such limit.
 */
const yamlLimits = { tokens: 150_000, characters: maxBodyBytes };

/** Of all bodies that are being read: 42 of the largest size. */
export const maxHeldBytes = 128 * 1024 * 1024;

const objectTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** How long the server waits for the rest of a refused body. */
const maxUnwantedMs = 2_000;

export interface Arrival {
  readonly clock: Clock;
  /** When the whole body must be here, in milliseconds of wall time. */
  readonly deadline?: number | undefined;
  readonly limit?: number;
  readonly budget?: BodyBudget;
  /** For the budget: whose body it is. */
  readonly owners?: readonly unknown[];
}

/** The body did not arrive in time: what is missing is not waited for. */
export class LateBodyError extends StatusError {
  constructor() {
    super(504, "Timeout", "Timeout: the whole request body did not arrive within the requested timeout", {});
  }
}

const tooManyBodies = (): StatusError =>
  new StatusError(429, "TooManyRequests", "too many request bodies are incomplete, try again later", {
    retryAfterSeconds: 1,
  });

export async function readBody(
  request: IncomingMessage | Http2ServerRequest,
  { clock, deadline = Infinity, limit = maxBodyBytes, budget, owners = [] }: Arrival,
): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > limit) throw tooLarge(limit);
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes();
    let size = 0;
    const stopWaiting =
      deadline === Infinity ? () => {} : clock.after(deadline - clock.now(), () => fail(new LateBodyError()));
    const partial = { bytes: 0, owners, refuse: () => fail(tooManyBodies()) };
    const fail = (error: StatusError): void => {
      stopWaiting();
      budget?.release(partial);
      request.removeAllListeners("data");
      gathered.clear();
      reject(error);
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) fail(tooLarge(limit));
      else {
        gathered.add(chunk);
        budget?.add(partial, chunk.length);
      }
    });
    request.on("end", () => {
      stopWaiting();
      budget?.release(partial);
      resolve(gathered.joined());
    });
    request.on("error", (error) => fail(badRequest("reading the request body failed").causedBy(error)));
    request.on("close", () => budget?.release(partial));
    request.on("aborted", () => fail(badRequest("the client closed the connection before the whole body had arrived")));
  });
}

/** Reads and drops the rest of a body: a client that is still sending would not see the response otherwise. */
export function drainBody(request: IncomingMessage | Http2ServerRequest, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve();
    let size = 0;
    const stopWaiting = clock.after(maxUnwantedMs, done);
    function done(): void {
      stopWaiting();
      resolve();
    }
    request.on("data", (chunk: Buffer) => (size += chunk.length) > maxUnwantedBytes && done());
    for (const event of ["end", "close", "error"]) request.once(event, done);
    request.resume();
  });
}

export interface ParsedBody {
  readonly value: Json;
  /** Complaints about repeated keys: one for each in JSON, one for all in YAML. */
  readonly duplicates: string[];
}

/** The object in a create or update. `of`: the kind, for messages. */
export async function parseObject(body: Buffer, contentType: string | undefined, of: string): Promise<ParsedBody> {
  switch (mediaType(contentType) || "application/json") {
    case "application/json":
      return parseJson(body.toString("utf8"), of);
    case "application/yaml":
      return parseYaml(body.toString("utf8"), of);
    case "application/vnd.kubernetes.protobuf":
      return parseProtobuf(body, of);
    default:
      throw unsupportedMediaType(objectTypes);
  }
}

async function parseProtobuf(body: Buffer, of: string): Promise<ParsedBody> {
  const { decodeProtobuf } = await import("../protobuf/decode-protobuf.ts");
  const { WireError } = await import("../protobuf/wire-reader.ts");
  try {
    return { value: decodeProtobuf(body), duplicates: [] };
  } catch (error) {
    if (error instanceof WireError) throw unrecognized(of, "protobuf parse error", error);
    throw error;
  }
}

export function parseJson(text: string, of: string): ParsedBody {
  const excess = beyondBounds(text, { depth: maxDepth });
  if (excess !== undefined) throw unreadable(excess);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw unrecognized(of, "json parse error", error);
  }
  return exactly(text, value);
}

/** What JSON.parse made of the text, corrected by what it hides. */
function exactly(text: string, value: Json): ParsedBody {
  const scan = scanJson(text);
  if (scan.type === "refused") throw unreadable(scan.why);
  const exact = mayHoldLongInteger(text) ? readJson(text) : value;
  return {
    value: scan.surrogates ? wellFormed(exact) : exact,
    duplicates: scan.duplicates.map((field) => `duplicate field ${JSON.stringify(field)}`),
  };
}

/** Lone surrogates become U+FFFD, as in Go: keys that differ only there would be one key on disk. */
function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.replace(halfPairs, "\ufffd");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  const repaired: JsonObject = {};
  for (const [key, child] of Object.entries(value)) set(repaired, key.replace(halfPairs, "\ufffd"), wellFormed(child));
  return repaired;
}

const halfPairs = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** JSON is valid YAML and much faster to parse, so text that looks like JSON is tried as JSON first. */
export async function parseYaml(text: string, of: string): Promise<ParsedBody> {
  const json = text.trimStart().startsWith("{") ? parsedJson(text) : undefined;
  if (json !== undefined) return exactly(text, json);
  const { readYaml, YamlError } = await import("../../../language/object/yaml.ts");
  try {
    // Through JSON, so that dates and unusual map keys become what a JSON client would have sent.
    const repeated: string[] = [];
    const { value } = parseJson(writeJson(readYaml(text, yamlLimits, repeated) ?? null), of);
    const complaint = `yaml: unmarshal errors:\n  ${repeated.slice(0, maxComplaints).join("\n  ")}`;
    return { value, duplicates: repeated.length > 0 ? [complaint] : [] };
  } catch (error) {
    if (error instanceof YamlError) throw unrecognized(of, "yaml parse error", error);
    throw error;
  }
}

function unreadable(why: string): StatusError {
  return badRequest(`the object provided cannot be read: ${why}`);
}

function unrecognized(of: string, what: string, cause: unknown): StatusError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `the object provided is unrecognized (must be of type ${of}): couldn't get version/kind; ${what}: ${why}`;
  return badRequest(message).causedBy(cause);
}

/** Undefined if the text is not JSON, or nests so deep that parsing it would need too much memory. */
function parsedJson(text: string): Json | undefined {
  if (beyondBounds(text, { depth: maxDepth }) !== undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** `application/json; charset=utf-8` → `application/json`. */
export function mediaType(header: string | undefined): string {
  return (header ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
