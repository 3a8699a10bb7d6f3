import { isObject } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { emptyPlan, type Plan } from "../../language/object/plan.ts";
import {
  type CertificateLives,
  type Certificates,
  decodeCertificates,
  encodeCertificates,
  nextCertificates,
  renewalTime,
  sameCertificates,
} from "../../cluster/certificate/serving-certificates.ts";
import type { Handlers } from "./handler.ts";
import { admissionConfigurations, definitionConversion, namesOf, namesTheOther, type Target } from "./registration.ts";

export interface RegistrationInput {
  readonly handlers: Handlers;
  readonly target: Target;
  readonly secret: { readonly namespace: string; readonly name: string; readonly observed: KubeObject | undefined };
  /** The object in the cluster with the kind and name of the planned one. */
  observed(planned: KubeObject): KubeObject | undefined;
  /** Of the last decision. */
  readonly published?: Publication | undefined;
  readonly now: number;
  readonly lives: CertificateLives;
}

/** An authority that all configurations have, and since when. */
export interface Publication {
  readonly bundle: string;
  readonly at: number;
}

export interface RegistrationDecision {
  readonly plan: Plan;
  /** The certificates of the Secret, if they can be served. */
  readonly serve: Certificates | undefined;
  /** CRDs whose `service` or `url` must be replaced: server-side apply removes no field that another manager owns. */
  readonly replaced: readonly KubeObject[];
  /** Whether the configurations in the cluster point at this webhook and trust its authority. */
  readonly registered: boolean;
  readonly published: Publication | undefined;
}

/** Renews the Secret, and points all configurations at this webhook with the authority to trust. */
export function decideRegistration(input: RegistrationInput): RegistrationDecision {
  const { handlers, target, secret, now, lives } = input;
  const current = decodeCertificates((secret.observed as { data?: Record<string, string> } | undefined)?.data);
  const planned = (caPem: string): KubeObject[] => [
    ...admissionConfigurations(handlers.admission, target, caPem),
    // A CRD that is missing or has no label of ours is left alone.
    ...handlers.conversion
      .map((handler) => definitionConversion(handler, target, caPem))
      .filter((definition) => input.observed(definition) !== undefined),
  ];
  const bundle = current?.["ca.crt"];
  const registered =
    bundle !== undefined && planned(bundle).every((object) => isContained(object, input.observed(object)));
  const published = !registered
    ? undefined
    : input.published?.bundle === bundle
      ? input.published
      : { bundle, at: now };
  const publishedAt = published?.at;
  const names = namesOf(target);
  const next = nextCertificates({ current, authority: "attune-webhook-ca", names, publishedAt, now, lives });
  const plan = emptyPlan();
  plan.requeueAfterMs = Math.max(renewalTime(next, { lives, publishedAt }) - now, 0);
  if (!sameCertificates(current, next)) {
    // Another replica may write first: a certificate is served only after it was read back from the Secret.
    plan.objects.push({ owns: "whole", object: secretObject(secret, next), because: "certificates must be renewed" });
    return { plan, serve: undefined, replaced: [], registered: false, published: undefined };
  }
  const objects = planned(next["ca.crt"]);
  const isReplaced = (object: KubeObject): boolean => namesTheOther(input.observed(object), target);
  for (const object of objects.filter((one) => !isReplaced(one)))
    plan.objects.push({ owns: "fields", object, because: "API servers must find and trust the webhook" });
  return { plan, serve: next, replaced: objects.filter(isReplaced), registered, published };
}

function secretObject(
  { namespace, name, observed }: RegistrationInput["secret"],
  certificates: Certificates,
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { "app.kubernetes.io/part-of": "attune" } },
    // The type of a Secret cannot change.
    type: (observed as { type?: string } | undefined)?.type ?? "kubernetes.io/tls",
    data: encodeCertificates(certificates),
  };
}

/** Whether an object has all wanted fields; fields that servers add are ignored. */
function isContained(wanted: unknown, found: unknown): boolean {
  // Servers leave out empty lists.
  if (Array.isArray(wanted))
    return (
      (wanted.length === 0 && found === undefined) ||
      (Array.isArray(found) && wanted.length === found.length && wanted.every((item, i) => isContained(item, found[i])))
    );
  if (!isObject(wanted)) return wanted === found;
  return isObject(found) && Object.entries(wanted).every(([key, value]) => isContained(value, found[key]));
}
