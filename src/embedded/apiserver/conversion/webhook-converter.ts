import { randomUUID } from "node:crypto";
import type { KubeObject } from "../../../language/object/meta.ts";
import { decodeCustom } from "../custom/decode-custom.ts";
import { apiVersion } from "../registry.ts";
import type { Resource } from "../resource.ts";
import type { ReviewClient } from "../webhook-client/review-client.ts";
import { StatusError } from "../status-error.ts";
import { convertedIn, failure, reviewOf, type Question } from "./conversion-review.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";

/** As long as a real server waits. */
const timeoutMs = 30_000;

/** Converts objects by asking the webhook of their definition. */
export class WebhookConverter {
  readonly #reviews: ReviewClient;

  constructor(reviews: ReviewClient) {
    this.#reviews = reviews;
  }

  /** All in one question, which the caller keeps small. What the version asked for does not know is pruned. */
  async convert(objects: readonly KubeObject[], to: Resource): Promise<KubeObject[]> {
    const webhook = to.versions?.webhook;
    if (!webhook) throw new Error(`convert ${to.kind}: its definition names no webhook`);
    const question: Question = {
      uid: randomUUID(),
      objects,
      desired: apiVersion(to),
      speaks: webhook.speaks,
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
    // No fault of the request, though a body like this would be one.
    if (error instanceof StatusError) throw failure(question, error.message);
    throw error;
  }
}

/** Converted by nobody: the object says another version, and has only what that one knows. Changes it. */
export function relabel(object: KubeObject, to: Resource): KubeObject {
  if (object.apiVersion === apiVersion(to)) return object;
  object.apiVersion = apiVersion(to);
  pruneUnknown(object, to.schema, { root: true });
  return object;
}
