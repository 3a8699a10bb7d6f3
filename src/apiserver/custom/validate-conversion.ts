import { dns1035Label, dnsSubdomain } from "../../object/names.ts";
import { forbidden, invalid, notSupported, required, type FieldError } from "../../schema/field-error.ts";
import type { Conversion } from "./definition.ts";

const STRATEGIES = ["None", "Webhook"];
/** The ConversionReview versions we can speak. */
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const FORM = "desired format: https://host[/path]";

/** How objects of one version become objects of another. Paths carry the names a real server answers with. */
export function validateConversion({ strategy, webhook }: Conversion, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const clientPath = `${path}.webhookClientConfig`;
  const reviewPath = `${path}.conversionReviewVersions`;
  if (!strategy) errors.push(required(`${path}.strategy`));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(`${path}.strategy`, strategy, STRATEGIES));

  const { clientConfig } = webhook ?? {};
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (clientConfig) errors.push(forbidden(clientPath, why));
    if (versions.length > 0) errors.push(forbidden(reviewPath, why));
    return errors;
  }
  if (!clientConfig) errors.push(required(clientPath, "required when strategy is set to Webhook"));
  else if ((clientConfig.url === undefined) === (clientConfig.service === undefined))
    errors.push(required(clientPath, "exactly one of url or service is required"));
  else if (clientConfig.url !== undefined) errors.push(...validateUrl(clientConfig.url, `${clientPath}.url`));
  else if (clientConfig.service) errors.push(...validateService(clientConfig.service, `${clientPath}.service`));
  errors.push(...validateReviewVersions(versions, reviewPath));
  return errors;
}

function validateUrl(text: string, path: string): FieldError[] {
  if (!URL.canParse(text))
    return [invalid(path, text, `url must be a valid URL: parse "${text}": invalid URI; ${FORM}`)];
  const url = new URL(text);
  const errors: FieldError[] = [];
  if (url.protocol !== "https:")
    errors.push(invalid(path, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${FORM}`));
  if (url.host === "") errors.push(invalid(path, url.host, `host must be specified; ${FORM}`));
  if (url.username !== "" || url.password !== "")
    errors.push(invalid(path, url.username, "user information is not permitted in the URL"));
  if (url.hash !== "") errors.push(invalid(path, url.hash.slice(1), "fragments are not permitted in the URL"));
  if (url.search !== "")
    errors.push(invalid(path, url.search.slice(1), "query parameters are not permitted in the URL"));
  return errors;
}

type Service = NonNullable<NonNullable<NonNullable<Conversion["webhook"]>["clientConfig"]>["service"]>;

function validateService({ name, namespace, port = 443, path: url = "" }: Service, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${path}.name`));
  if (!namespace) errors.push(required(`${path}.namespace`));
  if (port < 1 || port > 65535)
    errors.push(invalid(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  if (url === "" || url === "/") return errors;
  if (!url.startsWith("/")) errors.push(invalid(`${path}.path`, url, "must start with a '/'"));
  const segments = (url.length > 1 && url.endsWith("/") ? url.slice(1, -1) : url.slice(1)).split("/");
  for (const [i, segment] of segments.entries()) {
    if (segment === "") errors.push(invalid(`${path}.path`, url, `segment[${i}] may not be empty`));
    else
      for (const reason of dnsSubdomain(segment)) errors.push(invalid(`${path}.path`, url, `segment[${i}]: ${reason}`));
  }
  return errors;
}

function validateReviewVersions(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalid(`${path}[${i}]`, version, "duplicate version"));
    else for (const reason of dns1035Label(version)) errors.push(invalid(`${path}[${i}]`, version, reason));
    seen.add(version);
  }
  if (!REVIEW_VERSIONS.some((version) => seen.has(version)))
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`));
  return errors;
}
