import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes, Kind } from "../admission.ts";
import type { WebhookDependencies } from "./webhook-dependencies.ts";

/** A write in the version that a webhook was promised. */
export interface Shown {
  readonly kind: Kind;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
}

/** What a subresource speaks has but one version. */
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
