import type { Registry } from "../../registry.ts";
import type { Lookup, Resource } from "../../resource.ts";
import type { ObjectReader } from "../../storage/store-reader.ts";
import type { Authorizer } from "../../auth/user.ts";
import { forbidden } from "../../status-error.ts";
import type { Attributes } from "../admission.ts";
import { matchesRules } from "../match/rules.ts";
import { evaluateMatchConditions } from "../expressions/match-conditions.ts";
import { variablesFor, WriteFacts } from "../expressions/write-facts.ts";
import { matchesSelectors } from "../match/selectors.ts";
import { type CompiledWebhook, compileWebhook, webhooksIn } from "./webhook.ts";

/** A webhook whose rules match a write, and the resource in the version that matched. */
export interface Candidate {
  readonly hook: CompiledWebhook;
  readonly shownAs: Resource;
}

type What = Pick<Attributes, "operation" | "resource" | "subresource">;

const none: readonly Candidate[] = [];

/** All webhooks of one kind of configuration, by what their rules match. */
export class WebhookIndex {
  readonly #collection: string;
  readonly #reader: ObjectReader;
  readonly #registry: Pick<Registry, "find">;
  #changedAt = -1;
  #hooks: readonly CompiledWebhook[] = [];
  #found = new WeakMap<Resource, Map<string, readonly Candidate[]>>();

  constructor(plural: string, reader: ObjectReader, registry: Pick<Registry, "find">) {
    this.#collection = `${plural}.${admissionGroup}`;
    this.#reader = reader;
    this.#registry = registry;
  }

  /** In the order of calls. Cached, because rules match only these three attributes. */
  candidates({ operation, resource, subresource }: What): readonly Candidate[] {
    this.#refresh();
    if (this.#hooks.length === 0 || isExempt(resource)) return none;
    let found = this.#found.get(resource);
    if (!found) this.#found.set(resource, (found = new Map()));
    const key = `${operation}/${subresource}`;
    let candidates = found.get(key);
    if (!candidates) found.set(key, (candidates = this.#match({ operation, resource, subresource })));
    return candidates;
  }

  #match(what: What): readonly Candidate[] {
    const candidates: Candidate[] = [];
    for (const hook of this.#hooks) {
      const shownAs = matchesRules(hook.rules, what as Attributes, this.#registry);
      if (shownAs) candidates.push({ hook, shownAs });
    }
    return candidates;
  }

  #refresh(): void {
    const changedAt = this.#reader.changedAt(this.#collection);
    if (changedAt === this.#changedAt) return;
    this.#changedAt = changedAt;
    this.#found = new WeakMap();
    // Ordered by name, like the collection.
    this.#hooks = this.#reader
      .list(this.#collection)
      .flatMap((object) =>
        webhooksIn(object).map((webhook, i) => compileWebhook(object.metadata.name ?? "", i, webhook)),
      );
  }
}

const admissionGroup = "admissionregistration.k8s.io";

/** Admission configurations are exempt: otherwise a wrong one could never be removed. */
function isExempt({ group, kind }: Resource): boolean {
  return group === admissionGroup && /(Webhook|Admission)(Configuration|Policy|PolicyBinding)$/.test(kind);
}

export interface Surroundings {
  readonly objects: Lookup;
  readonly authorizer: Authorizer;
}

/** Whether a webhook whose rules match is called: by its selectors and matchConditions. */
export function isCalled({ hook, shownAs }: Candidate, attributes: Attributes, around: Surroundings): boolean {
  if (!matchesSelectors(hook.selectors, attributes, around.objects)) return false;
  if (hook.conditions.length === 0) return true;
  const facts = new WriteFacts(attributes, around.authorizer, around.objects);
  const outcome = evaluateMatchConditions(hook.conditions, variablesFor(facts, shownAs));
  if (outcome.type !== "error") return outcome.type === "match";
  if (hook.webhook.failurePolicy === "Ignore") return false;
  const { resource, name } = attributes;
  const [first, ...more] = outcome.errors;
  const why = more.length === 0 ? (first ?? "") : `[${outcome.errors.join(", ")}]`;
  throw forbidden(resource.group, resource.plural, name, why);
}
