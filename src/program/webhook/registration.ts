import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { AdmissionHandler, ConversionHandler } from "./handler.ts";

/** How API servers reach the webhook. */
export type Target =
  | { readonly type: "url"; readonly base: string }
  | { readonly type: "service"; readonly namespace: string; readonly name: string; readonly port: number };

/** Name of both webhook configurations. */
export const configurationName = "attune-webhook";

export const admissionPath = (handler: AdmissionHandler): string => `/admit/${handler.name}`;
export const conversionPath = (handler: ConversionHandler): string => `/convert/${handler.definition}`;

/** Names that the serving certificate must be valid for. */
export function namesOf(target: Target): string[] {
  if (target.type === "url") return [new URL(target.base).hostname.replace(/^\[(.*)\]$/, "$1")];
  const { name, namespace } = target;
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`];
}

/** A configuration for each type of handler that exists. */
export function admissionConfigurations(
  handlers: readonly AdmissionHandler[],
  target: Target,
  caPem: string,
): KubeObject[] {
  return (["mutating", "validating"] as const).flatMap((type) => {
    const ofType = handlers.filter((handler) => handler.type === type);
    if (ofType.length === 0) return [];
    return [
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: type === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
        metadata: { name: configurationName, labels: { "app.kubernetes.io/part-of": "attune" } },
        webhooks: ofType.flatMap((handler) => webhooks(handler, clientConfig(target, admissionPath(handler), caPem))),
      },
    ];
  });
}

function webhooks(handler: AdmissionHandler, clientConfig: object): object[] {
  const { name, type, rules, timeoutSeconds = 10, namespaceSelector, objectSelector } = handler;
  return handler.entries.map(({ suffix = "", failurePolicy, matchConditions }) => ({
    name: `${name}${suffix}.attune.dev`,
    clientConfig,
    rules,
    failurePolicy,
    timeoutSeconds,
    sideEffects: handler.answered ? "NoneOnDryRun" : "None",
    admissionReviewVersions: ["v1"],
    matchPolicy: "Equivalent",
    ...(type === "mutating" ? { reinvocationPolicy: "IfNeeded" } : {}),
    ...(namespaceSelector ? { namespaceSelector } : {}),
    ...(objectSelector ? { objectSelector } : {}),
    ...(matchConditions ? { matchConditions } : {}),
  }));
}

/** The part of a CRD that names its conversion webhook. */
export function definitionConversion(handler: ConversionHandler, target: Target, caPem: string): KubeObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: handler.definition },
    spec: {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: clientConfig(target, conversionPath(handler), caPem),
          conversionReviewVersions: ["v1"],
        },
      },
    },
  };
}

/** Whether a CRD names a service and the target is a URL, or the other way round. The API allows one of both. */
export function namesTheOther(definition: KubeObject | undefined, { type }: Target): boolean {
  const other = type === "url" ? "service" : "url";
  return at(definition, "spec", "conversion", "webhook", "clientConfig", other) !== undefined;
}

function clientConfig(target: Target, path: string, caPem: string): object {
  const trust = caPem === "" ? {} : { caBundle: Buffer.from(caPem).toString("base64") };
  if (target.type === "url") return { url: `${target.base}${path}`, ...trust };
  const { namespace, name, port } = target;
  return { service: { namespace, name, path, port }, ...trust };
}
