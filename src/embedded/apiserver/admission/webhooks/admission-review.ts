import { randomUUID } from "node:crypto";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes, Kind } from "../admission.ts";
import type { WebhookDependencies } from "./webhook.ts";

export type ReviewVersion = "v1" | "v1beta1";

export interface Review {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly body: object;
}

/** The first AdmissionReview version that webhook and server support; undefined if there is none. */
export function reviewVersion(versions: readonly string[]): ReviewVersion | undefined {
  return versions.find((version) => version === "v1" || version === "v1beta1");
}

/** The request to a webhook. `shownAs` is the resource in the version that its rule matched. */
export function admissionReview(
  version: ReviewVersion,
  attributes: Attributes,
  shownAs: Resource,
  shown: Shown,
): Review {
  const { resource, kind, subresource, namespace, name, user } = attributes;
  const uid = randomUUID();
  const request = {
    uid,
    kind: kindOf(shown.kind),
    resource: resourceOf(shownAs),
    ...(subresource ? { subResource: subresource } : {}),
    requestKind: kindOf(kind),
    requestResource: resourceOf(resource),
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    operation: attributes.operation,
    userInfo: {
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: user.groups } : {}),
      ...(user.extra ? { extra: user.extra } : {}),
    },
    object: shown.object ?? null,
    oldObject: shown.old ?? null,
    dryRun: attributes.dryRun,
    options: attributes.options,
  };
  return {
    uid,
    version,
    body: { kind: "AdmissionReview", apiVersion: `admission.k8s.io/${version}`, request },
  };
}

function kindOf({ group, version, kind }: Pick<Resource, "group" | "version" | "kind">): object {
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: Resource): object {
  return { group, version, resource: plural };
}

/** A write in the version that a webhook's rule matched. */
export interface Shown {
  readonly kind: Kind;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
}

/** A subresource with its own kind has only one version. */
export async function shownTo(
  shownAs: Resource,
  attributes: Attributes,
  { convert }: Pick<WebhookDependencies, "convert">,
): Promise<Shown> {
  const { kind, resource, object, old } = attributes;
  if (kind !== resource || shownAs === resource) return { kind, object, old };
  return {
    kind: shownAs,
    object: object && (await convert(object, shownAs)),
    old: old && (await convert(old, shownAs)),
  };
}
