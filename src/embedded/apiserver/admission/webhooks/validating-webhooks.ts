import type { StatusError } from "../../status-error.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { afterFailure, askWebhook } from "./ask-webhook.ts";
import { type Candidate, Selection, WebhookIndex } from "./webhook-index.ts";
import { shownTo } from "./admission-review.ts";
import type { WebhookDependencies } from "./webhook.ts";

/** Calls validating webhooks concurrently; one denial refuses the write. */
export class ValidatingWebhooks implements AdmissionPlugin {
  readonly name = "ValidatingAdmissionWebhook";
  readonly #around: WebhookDependencies;
  readonly #index: WebhookIndex;

  constructor(around: WebhookDependencies) {
    this.#around = around;
    this.#index = new WebhookIndex("validatingwebhookconfigurations", around.objects, around.registry);
  }

  mayWait(write: Pick<Attributes, "operation" | "resource" | "subresource">): boolean {
    return this.#index.candidates(write).length > 0;
  }

  handles(attributes: Attributes): boolean {
    return this.mayWait(attributes);
  }

  validate(attributes: Attributes): Promise<void> | undefined {
    const selection = new Selection(attributes, this.#around);
    const called = this.#index.candidates(attributes).filter((candidate) => selection.isCalled(candidate));
    return called.length > 0 ? this.#askAll(called, attributes) : undefined;
  }

  /** Waits for all calls, so that none outlives the request. The first denial is the response. */
  async #askAll(called: readonly Candidate[], attributes: Attributes): Promise<void> {
    const refusals: StatusError[] = [];
    await Promise.all(
      called.map(async (candidate) => {
        try {
          const shown = await shownTo(candidate.shownAs, attributes, this.#around);
          await askWebhook({ candidate, attributes, shown, mutating: false }, this.#around);
        } catch (error) {
          const overdue = this.#around.clock.now() >= attributes.deadline;
          const refusal = afterFailure(error, candidate.hook, overdue);
          if (refusal) refusals.push(refusal);
        }
      }),
    );
    if (refusals[0]) throw refusals[0];
  }
}
