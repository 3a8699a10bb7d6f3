import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type AdmissionPlugin, type Attributes, levelsChangedInPlace } from "../admission.ts";
import { afterFailure, askWebhook } from "./ask-webhook.ts";
import { type Candidate, Selection, WebhookIndex } from "./webhook-index.ts";
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
    const pass = { attributes, round: this.#roundOf(attributes), selection: new Selection(attributes, this.#around) };
    // Synchronous unless a webhook must be called.
    const first = candidates.findIndex((candidate) => isDue(candidate, pass));
    return first < 0 ? undefined : this.#askFrom(first, candidates, pass);
  }

  async #askFrom(first: number, candidates: readonly Candidate[], pass: Pass): Promise<void> {
    for (const [i, candidate] of candidates.entries())
      if (i === first || (i > first && isDue(candidate, pass))) await this.#ask(candidate, pass);
    const { attributes, round } = pass;
    if (attributes.round === "again-wanted" && round.asked.size > 0)
      round.output = copied(withoutOwners(attributes.object), levelsChangedInPlace);
  }

  async #ask(candidate: Candidate, { attributes, round }: Pass): Promise<void> {
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

  #roundOf(attributes: Attributes): Round {
    let round = this.#rounds.get(attributes);
    if (!round) this.#rounds.set(attributes, (round = new Round()));
    // Earlier plug-ins may have changed the object in the second round.
    if (attributes.round === "again" && !equal(round.output, withoutOwners(attributes.object))) round.forgetOutcomes();
    return round;
  }
}

/** One of the two rounds of one write. */
interface Pass {
  readonly attributes: Attributes;
  readonly round: Round;
  readonly selection: Selection;
}

/** As kube-apiserver: the second round only calls webhooks of the first. */
function isDue(candidate: Candidate, { attributes, round, selection }: Pass): boolean {
  if (attributes.round === "again" && !round.again.has(candidate.hook.id)) return false;
  return selection.isCalled(candidate);
}

/** What plug-ins may change. The rest is half of many an object, and to copy and to compare it takes as long. */
function withoutOwners(object: KubeObject | undefined): KubeObject | undefined {
  if (!object) return undefined;
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function copied(value: unknown, levels: number): unknown {
  if (levels === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copied(item, levels - 1));
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) copy[key] = copied(copy[key], levels - 1);
  return copy;
}

/** The webhooks to call again, because the object changed after their call. */
class Round {
  readonly asked = new Set<string>();
  readonly again = new Set<string>();
  output: unknown;

  forgetOutcomes(): void {
    for (const id of this.asked) this.again.add(id);
    this.asked.clear();
  }
}
