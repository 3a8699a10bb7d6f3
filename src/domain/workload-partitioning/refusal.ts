import type { KindRef } from "../../language/object/meta.ts";
import type { StatusDetails } from "../../language/object/status.ts";
import type { Admission } from "./admission.ts";

/** What the API server tells the client, in its own words for refusals of this status. */
export interface Refusal {
  readonly code: 403 | 404 | 422;
  readonly reason: "Forbidden" | "NotFound" | "Invalid";
  readonly message: string;
  readonly details: StatusDetails;
}

/** Undefined if the write is not refused. The first problem gives the status: only those of one status occur together. */
export function refusalOf({ object, problems }: Admission, { kind, plural }: KindRef): Refusal | undefined {
  const [first] = problems;
  if (!first) return undefined;
  const name = object.metadata.name ?? object.metadata.generateName ?? "";
  if (first.status === 404)
    return { code: 404, reason: "NotFound", message: first.message, details: { kind: "namespaces" } };
  if (first.status === 403)
    return {
      code: 403,
      reason: "Forbidden",
      message: `${plural} "${name}" is forbidden: ${first.message}`,
      details: { name, kind: plural },
    };
  const causes = problems.map(({ field = "", message, reason = "FieldValueInvalid" }) => ({ reason, message, field }));
  const shown = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  return {
    code: 422,
    reason: "Invalid",
    message: `${kind} "${name}" is invalid: ${shown.length === 1 ? shown[0] : `[${shown.join(", ")}]`}`,
    details: { name, kind, causes },
  };
}
