import { dnsSubdomain } from "../../../language/object/names.ts";
import { invalid, required, type FieldError } from "../../../language/schema/field-error.ts";
import { parseGoUrl } from "./go-url.ts";
import type { ClientConfig } from "./review-client.ts";

const form = "; desired format: https://host[/path]";

/** Validates that a clientConfig has either a valid URL or a valid service. */
export function clientConfigFaults({ url, service }: Partial<ClientConfig>, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(path, "exactly one of url or service is required")];
  if (url !== undefined) return urlFaults(url, `${path}.url`);
  return serviceFaults(service ?? {}, `${path}.service`);
}

function urlFaults(text: string, path: string): FieldError[] {
  const url = parseGoUrl(text);
  if (url.type === "fault")
    return [required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: ${url.why}${form}`)];
  const errors: FieldError[] = [];
  if (url.scheme !== "https") errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`));
  if (url.host === "") errors.push(invalid(path, url.host, `host must be specified${form}`));
  if (url.user !== undefined) errors.push(invalid(path, url.user, "user information is not permitted in the URL"));
  if (url.fragment !== "") errors.push(invalid(path, url.fragment, "fragments are not permitted in the URL"));
  if (url.query !== "") errors.push(invalid(path, url.query, "query parameters are not permitted in the URL"));
  return errors;
}

function serviceFaults(
  { name, namespace, port = 443, path: url = "" }: Partial<NonNullable<ClientConfig["service"]>>,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${path}.name`));
  if (!namespace) errors.push(required(`${path}.namespace`));
  if (port < 1 || port > 65535)
    errors.push(invalid(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  return [...errors, ...pathFaults(url, `${path}.path`)];
}

function pathFaults(url: string, path: string): FieldError[] {
  if (url === "" || url === "/") return [];
  if (url === "//") return [invalid(path, url, "segment[0] may not be empty")];
  const errors: FieldError[] = [];
  if (!url.startsWith("/")) errors.push(invalid(path, url, "must start with a '/'"));
  const segments = (url.length > 1 && url.endsWith("/") ? url.slice(1, -1) : url.slice(1)).split("/");
  for (const [i, segment] of segments.entries()) {
    if (segment === "") errors.push(invalid(path, url, `segment[${i}] may not be empty`));
    else for (const reason of dnsSubdomain(segment)) errors.push(invalid(path, url, `segment[${i}]: ${reason}`));
  }
  return errors;
}
