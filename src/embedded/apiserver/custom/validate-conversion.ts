import { dns1035Label } from "../../../language/object/names.ts";
import { forbidden, invalid, notSupported, required, type FieldError } from "../../../language/schema/field-error.ts";
import { readCaBundle } from "../webhook-client/ca-bundle.ts";
import { clientConfigFaults } from "../webhook-client/client-config-faults.ts";
import type { ClientConfig } from "../webhook-client/review-client.ts";
import type { Conversion } from "./definition.ts";

const STRATEGIES = ["None", "Webhook"];
/** The ConversionReview versions that this server supports. */
const REVIEW_VERSIONS = ["v1", "v1beta1"];

/** `spec.conversion`. Errors name the internal fields, as kube-apiserver's do. */
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
  else errors.push(...clientConfigFaults(withSwappedService(clientConfig as ClientConfig), clientPath));
  errors.push(...validateReviewVersions(versions, reviewPath));
  return errors;
}

/** kube-apiserver swaps name and namespace of the service in these errors; so do we. */
function withSwappedService(clientConfig: ClientConfig): ClientConfig {
  const { service } = clientConfig;
  if (!service) return clientConfig;
  return { ...clientConfig, service: { ...service, name: service.namespace, namespace: service.name } };
}

/** An established definition must not get an invalid CA bundle: its objects would be unreadable. An old one may stay. */
export function validateBundle(conversion: Conversion | undefined, old: Conversion | undefined): FieldError[] {
  if (conversion?.strategy !== "Webhook" || isUnreadable(old)) return [];
  const { caBundle } = conversion.webhook?.clientConfig ?? {};
  const bundle = readCaBundle(caBundle);
  if (bundle.type !== "fault") return [];
  return [invalid("spec.conversion.webhookClientConfig.caBundle", caBundle, bundle.why)];
}

export function isUnreadable(conversion: Conversion | undefined): boolean {
  return readCaBundle(conversion?.webhook?.clientConfig?.caBundle).type === "fault";
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
