import type { Status, StatusDetails } from "../../language/object/status.ts";
import type { FieldError } from "../../language/schema/field-error.ts";

/** A refusal with its HTTP code and reason. Thrown anywhere below a request, sent to the client by `http/dispatch.ts`. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Of an expired list: where a client can go on. */
  continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = "StatusError";
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  causedBy(cause: unknown): this {
    this.cause = cause;
    return this;
  }

  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken ? { continue: this.continueToken } : {},
      status: "Failure",
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    };
  }
}

/** `configmaps`, or `leases.coordination.k8s.io`: how messages name a resource. */
export function qualified(name: string, group: string): string {
  return group ? `${name}.${group}` : name;
}

const named = (group: string, kind: string, name: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(group ? { group } : {}),
  ...(kind ? { kind } : {}),
});

export const badRequest = (message: string): StatusError => new StatusError(400, "BadRequest", message);

export const unauthorized = (): StatusError => new StatusError(401, "Unauthorized", "Unauthorized");

export const notFound = (group: string, plural: string, name: string): StatusError =>
  new StatusError(404, "NotFound", `${qualified(plural, group)} "${name}" not found`, named(group, plural, name));

/** The path names no resource that is served. */
export const noSuchResource = (): StatusError =>
  new StatusError(404, "NotFound", "the server could not find the requested resource", {});

export const noStreams = (subresource: string): StatusError =>
  new StatusError(404, "NotFound", `pods/${subresource} is not served: this server opens no streams to containers`, {});

export const methodNotAllowed = (): StatusError =>
  new StatusError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

export const alreadyExists = (group: string, plural: string, name: string): StatusError =>
  new StatusError(
    409,
    "AlreadyExists",
    `${qualified(plural, group)} "${name}" already exists`,
    named(group, plural, name),
  );

export const conflict = (
  group: string,
  plural: string,
  name: string,
  why = "the object has been modified; please apply your changes to the latest version and try again",
): StatusError =>
  new StatusError(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(plural, group)} "${name}": ${why}`,
    named(group, plural, name),
  );

export const gone = (message: string): StatusError => new StatusError(410, "Expired", message);

export const forbidden = (group: string, plural: string, name: string, why: string): StatusError =>
  new StatusError(
    403,
    "Forbidden",
    `${qualified(plural, group)}${name ? ` "${name}"` : ""} is forbidden: ${why}`,
    named(group, plural, name),
  );

export function invalidObject(group: string, kind: string, name: string, errors: readonly FieldError[]): StatusError {
  const shown = errors.map((error) => `${error.field}: ${error.message}`);
  const unique = [...new Set(shown)];
  return new StatusError(
    422,
    "Invalid",
    `${qualified(kind, group)} "${name}" is invalid: ${unique.length === 1 ? unique[0] : `[${unique.join(", ")}]`}`,
    {
      ...named(group, kind, name),
      causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  );
}

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  new StatusError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

export const tooLarge = (limit: number): StatusError =>
  new StatusError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);

export function internal(message: string, options?: ErrorOptions): StatusError {
  const why = `Internal error occurred: ${message}`;
  const error = new StatusError(500, "InternalError", why, { causes: [{ message }] });
  return options ? error.causedBy(options.cause) : error;
}
