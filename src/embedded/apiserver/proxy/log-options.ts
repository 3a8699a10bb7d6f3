import { type FieldError, forbidden, invalid } from "../../../language/schema/field-error.ts";
import { isTrue } from "../request/options.ts";
import { badRequest, invalidObject } from "../status-error.ts";

const flags = ["follow", "previous", "timestamps"] as const;
const numbers = ["limitBytes", "sinceSeconds", "tailLines"] as const;

/** The validated log options that go to the kubelet. */
export function logQuery(query: URLSearchParams, pod: string): URLSearchParams {
  const asked = new URLSearchParams();
  for (const flag of flags) if (isTrue(query.get(flag))) asked.set(flag, "true");
  for (const name of numbers) {
    const text = query.get(name);
    if (text) asked.set(name, String(integer(text)));
  }
  const since = query.get("sinceTime");
  if (since) asked.set("sinceTime", time(since));
  const errors = faults(asked);
  if (query.get("stream")) errors.push(forbidden("stream", "may not be specified"));
  if (errors.length > 0) throw invalidObject("", "PodLogOptions", pod, errors);
  return asked;
}

function integer(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return number;
}

function time(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text)))
    throw badRequest(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse`);
  return text;
}

function faults(asked: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const tail = asked.get("tailLines");
  const limit = asked.get("limitBytes");
  const seconds = asked.get("sinceSeconds");
  if (tail !== null && Number(tail) < 0)
    errors.push(invalid("tailLines", Number(tail), "must be greater than or equal to 0"));
  if (limit !== null && Number(limit) < 1) errors.push(invalid("limitBytes", Number(limit), "must be greater than 0"));
  if (seconds !== null && asked.has("sinceTime"))
    errors.push(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  else if (seconds !== null && Number(seconds) < 1)
    errors.push(invalid("sinceSeconds", Number(seconds), "must be greater than 0"));
  return errors;
}
