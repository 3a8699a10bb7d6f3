import { at, get, isObject } from "../../language/object/json.ts";
import type { StatusDetails } from "../../language/object/status.ts";

export interface ApiErrorInit {
  /** The HTTP status code, or 0 when no response came. */
  code: number;
  reason: string;
  message: string;
  details?: StatusDetails | undefined;
  retryAfterMs?: number | undefined;
  /** `GET /api/v1/nodes`. */
  request?: string | undefined;
  cause?: unknown;
}

/** A request that the server refused, or that got no response. The message is the server's own where there is one. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  readonly retryAfterMs: number | undefined;
  readonly request: string | undefined;

  constructor(init: ApiErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "ApiError";
    this.code = init.code;
    this.reason = init.reason;
    this.details = init.details;
    this.retryAfterMs = init.retryAfterMs;
    this.request = init.request;
  }
}

const reasonOfCode: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

/**
 * Reads a Status, from a response body or an ERROR event. Proxies and load balancers respond with other bodies: then the
 * error is made from `code` and the beginning of the body.
 */
export function apiErrorFromStatus(
  status: unknown,
  context: { code?: number; retryAfterMs?: number | undefined; request?: string } = {},
): ApiError {
  const isStatus = isObject(status) && get(status, "kind") === "Status";
  const statusCode = isStatus ? get(status, "code") : undefined;
  const code = context.code ?? (typeof statusCode === "number" ? statusCode : 500);
  const reason = isStatus ? get(status, "reason") : undefined;
  const message = isStatus ? get(status, "message") : undefined;
  const details = isStatus ? get(status, "details") : undefined;
  const retryAfterSeconds = at(details, "retryAfterSeconds");
  return new ApiError({
    code,
    reason: typeof reason === "string" && reason !== "" ? reason : (reasonOfCode.get(code) ?? "Unknown"),
    message: typeof message === "string" && message !== "" ? message : fallbackMessage(code, status),
    details: isObject(details) ? details : undefined,
    retryAfterMs:
      context.retryAfterMs ?? (typeof retryAfterSeconds === "number" ? retryAfterSeconds * 1000 : undefined),
    request: context.request,
  });
}

function fallbackMessage(code: number, body: unknown): string {
  const text = typeof body === "string" ? body.trim().slice(0, 200) : "";
  return `the server responded with ${code}${text ? `: ${text}` : ""}`;
}

/** `Retry-After` in milliseconds: seconds, or a date. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError;
}

export function isNotFound(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 404;
}

/** Undefined where the server has no such object, or no such kind. */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The object changed meanwhile. A name that is taken is also 409: see isAlreadyExists. */
export function isConflict(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 409 && error.reason !== "AlreadyExists";
}

export function isAlreadyExists(error: unknown): error is ApiError {
  return isApiError(error) && error.reason === "AlreadyExists";
}

/** The server no longer keeps this resource version or continue token: list again. */
export function isGone(error: unknown): error is ApiError {
  return isApiError(error) && (error.code === 410 || error.reason === "Expired" || error.reason === "Gone");
}

export function isForbidden(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 403;
}

export function isUnauthorized(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 401;
}

export function isInvalid(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 422;
}

export function isTooManyRequests(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 429;
}

/** Our deadline passed, or the server's. */
export function isTimeout(error: unknown): error is ApiError {
  return isApiError(error) && (error.reason === "Timeout" || error.reason === "RequestTimeout" || error.code === 504);
}

/** No response came: connection refused or reset, unknown host, bad certificate. */
export function isUnreachable(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 0;
}

/** The requested resource version is newer than anything the server has: the server lost data, or is behind. */
export function isTooLargeResourceVersion(error: unknown): error is ApiError {
  return (
    isApiError(error) &&
    error.code === 504 &&
    (error.details?.causes?.some((cause) => cause.reason === "ResourceVersionTooLarge") ?? false)
  );
}
