import { clone, equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { afterFailure, askWebhook } from "./ask-webhook.ts";
import { type Candidate, isCalled, WebhookIndex } from "./webhook-index.ts";
import { patched } from "./patched.ts";
import { shownTo } from "./admission-review.ts";
import type { WebhookDependencies } from "./webhook.ts";

/** Calls mutating webhooks one by one: each sees the changes of the ones before it. */
export class MutatingWebhooks implements AdmissionPlugin {
  readonly name = "MutatingAdmissionWebhook";
  readonly #around: WebhookDependencies;
  readonly #index: WebhookIndex;
  readonly #rounds = new WeakMap<Attributes, Round>();

  constructor(around: WebhookDependencies) {
    this.#around = around;
    this.#index = new WebhookIndex("mutatingwebhookconfigurations", around.objects, around.registry);
  }

  mayWait(write: Pick<Attributes, "operation" | "resource" | "subresource">): boolean {
    return this.#index.candidates(write).length > 0;
  }

  handles(attributes: Attributes): boolean {
    return this.mayWait(attributes);
  }

  admit(attributes: Attributes): Promise<void> | undefined {
    const candidates = this.#index.candidates(attributes);
    const round = this.#roundOf(attributes);
    // Synchronous unless a webhook must be called.
    const first = candidates.findIndex((candidate) => this.#isDue(candidate, attributes, round));
    return first < 0 ? undefined : this.#askFrom(first, candidates, attributes, round);
  }

  async #askFrom(first: number, candidates: readonly Candidate[], attributes: Attributes, round: Round): Promise<void> {
    for (const [i, candidate] of candidates.entries())
      if (i === first || (i > first && this.#isDue(candidate, attributes, round)))
        await this.#ask(candidate, attributes, round);
    if (attributes.round === "again-wanted" && round.asked.size > 0) round.output = clone(attributes.object);
  }

  async #ask(candidate: Candidate, attributes: Attributes, round: Round): Promise<void> {
    const { hook } = candidate;
    try {
      const shown = await shownTo(candidate.shownAs, attributes, this.#around);
      const answer = await askWebhook({ candidate, attributes, shown, mutating: true }, this.#around);
      const object = patched(hook.webhook.name, shown, answer);
      if (object) {
        const { kind, resource } = attributes;
        attributes.object = shown.kind === kind ? object : await this.#around.convert(object, resource);
        round.forgetOutcomes();
        if (attributes.round === "first") attributes.round = "again-wanted";
      }
    } catch (error) {
      const refusal = afterFailure(error, hook, this.#around.clock.now() >= attributes.deadline);
      if (refusal) throw refusal;
    }
    if (hook.webhook.reinvocationPolicy === "IfNeeded") round.asked.add(hook.id);
  }

  /** As kube-apiserver: the second round only calls webhooks of the first. */
  #isDue(candidate: Candidate, attributes: Attributes, round: Round): boolean {
    if (attributes.round === "again" && !round.again.has(candidate.hook.id)) return false;
    return isCalled(candidate, attributes, this.#around);
  }

  #roundOf(attributes: Attributes): Round {
    let round = this.#rounds.get(attributes);
    if (!round) this.#rounds.set(attributes, (round = new Round()));
    // Earlier plug-ins may have changed the object in the second round.
    if (attributes.round === "again" && !equal(round.output, attributes.object)) round.forgetOutcomes();
    return round;
  }
}

/** The webhooks to call again, because the object changed after their call. */
class Round {
  readonly asked = new Set<string>();
  readonly again = new Set<string>();
  output: KubeObject | undefined;

  forgetOutcomes(): void {
    for (const id of this.asked) this.again.add(id);
    this.asked.clear();
  }
}
