import { randomUUID } from "node:crypto";
import type { KubeObject } from "../../../language/object/meta.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import { decodeCustom } from "../custom/decode-custom.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { ReviewClient } from "../webhook-client/review-client.ts";
import { StatusError } from "../status-error.ts";
import { convertedIn, failure, reviewOf, type Question } from "./conversion-review.ts";

/** As kube-apiserver. */
const timeoutMs = 30_000;

/** Converts objects by the webhook of their CustomResourceDefinition. */
export class WebhookConverter {
  readonly #reviews: ReviewClient;

  constructor(reviews: ReviewClient) {
    this.#reviews = reviews;
  }

  /** One call for all objects. Fields that the requested version does not have are pruned. */
  async convert(objects: readonly KubeObject[], to: Resource): Promise<KubeObject[]> {
    const webhook = to.versions?.webhook;
    if (!webhook) throw new Error(`convert ${to.kind}: its definition names no webhook`);
    const question: Question = {
      uid: randomUUID(),
      objects,
      desired: apiVersion(to),
      reviewVersion: webhook.reviewVersion,
    };
    const converted = convertedIn(await this.#ask(webhook.client, question), question);
    return converted.map((object) => pruned(object, to, question));
  }

  async #ask(client: Parameters<ReviewClient["ask"]>[0], question: Question): Promise<unknown> {
    try {
      return await this.#reviews.ask(client, reviewOf(question), { timeoutMs });
    } catch (error) {
      throw failure(question, error instanceof Error ? error.message : String(error));
    }
  }
}

function pruned(object: KubeObject, to: Resource, question: Question): KubeObject {
  try {
    return decodeCustom(object, to).object;
  } catch (error) {
    // The webhook's fault, not the client's: not a 400.
    if (error instanceof StatusError) throw failure(question, error.message);
    throw error;
  }
}

/** Conversion strategy None: changes apiVersion and prunes fields that the version does not have. Changes the object. */
export function relabel(object: KubeObject, to: Resource): KubeObject {
  if (object.apiVersion === apiVersion(to)) return object;
  object.apiVersion = apiVersion(to);
  pruneUnknown(object, to.schema, { root: true });
  return object;
}
