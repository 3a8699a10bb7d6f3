import { isObject } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { emptyPlan, type Plan } from "../../language/object/plan.ts";
import { type CertificateLives, type Certificates, nextCertificates, renewalTime } from "./certificates.ts";
import type { Handlers } from "./handler.ts";
import { admissionConfigurations, definitionConversion, namesOf, namesService, type Target } from "./registration.ts";

export interface RegistrationInput {
  readonly handlers: Handlers;
  readonly target: Target;
  readonly secret: { readonly namespace: string; readonly name: string; readonly observed: KubeObject | undefined };
  /** What is observed of the object planned, by its kind and name. */
  observed(planned: KubeObject): KubeObject | undefined;
  readonly now: number;
  readonly lives: CertificateLives;
}

export interface RegistrationDecision {
  readonly plan: Plan;
  /** What to serve: what lies in the Secret, if that is of use. */
  readonly serve: Certificates | undefined;
  /** Definitions from which a service has to go first: an apply takes nothing away that another put there. */
  readonly replaced: readonly KubeObject[];
  /** Whether every API server that has seen what we have seen will find and trust us. */
  readonly registered: boolean;
}

/** Keeps the Secret fresh, and every configuration pointing at us with the authority it should trust. */
export function decideRegistration(input: RegistrationInput): RegistrationDecision {
  const { handlers, target, secret, now, lives } = input;
  const current = contentOf(secret.observed);
  const planned = (caPem: string): KubeObject[] => [
    ...admissionConfigurations(handlers.admission, target, caPem),
    // A definition that is not there, or not ours, is left alone.
    ...handlers.conversion
      .map((handler) => definitionConversion(handler, target, caPem))
      .filter((definition) => input.observed(definition) !== undefined),
  ];
  const bundle = current?.["ca.crt"];
  const registered =
    bundle !== undefined && planned(bundle).every((object) => isContained(object, input.observed(object)));
  const next = nextCertificates({ current, names: namesOf(target), trusted: registered, now, lives });
  const plan = emptyPlan();
  plan.requeueAfterMs = Math.max(renewalTime(next, lives) - now, 0);
  const isKept = current !== undefined && keys.every((key) => next[key] === current[key]);
  if (!isKept) {
    // Another replica may have been faster: what we made counts when it is read back.
    plan.objects.push({ owns: "whole", object: secretObject(secret, next), because: "certificates are due" });
    return { plan, serve: undefined, replaced: [], registered: false };
  }
  const objects = planned(next["ca.crt"]);
  const isReplaced = (object: KubeObject): boolean => target.type === "url" && namesService(input.observed(object));
  for (const object of objects.filter((one) => !isReplaced(one)))
    plan.objects.push({ owns: "fields", object, because: "API servers must find and trust the webhook" });
  return { plan, serve: next, replaced: objects.filter(isReplaced), registered };
}

const keys = ["ca.crt", "ca.key", "tls.crt", "tls.key"] as const;

function secretObject({ namespace, name }: RegistrationInput["secret"], certificates: Certificates): KubeObject {
  const encoded = keys.map((key) => [key, Buffer.from(certificates[key]).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { "app.kubernetes.io/part-of": "attune" } },
    type: "kubernetes.io/tls",
    data: Object.fromEntries(encoded) as Record<string, string>,
  };
}

function contentOf(secret: KubeObject | undefined): Partial<Certificates> | undefined {
  const { data } = (secret ?? {}) as { data?: Record<string, string> };
  if (!data) return undefined;
  return Object.fromEntries(keys.map((key) => [key, Buffer.from(data[key] ?? "", "base64").toString("utf8")]));
}

/** Whether an object has all that is wanted of it; what servers add beside it does not matter. */
function isContained(wanted: unknown, found: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(found) && wanted.length === found.length && wanted.every((item, i) => isContained(item, found[i]))
    );
  if (!isObject(wanted)) return wanted === found;
  return isObject(found) && Object.entries(wanted).every(([key, value]) => isContained(value, found[key]));
}
