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

/** Which webhooks are called about one write, among those whose rules match: by their selectors and matchConditions. */
export class Selection {
  readonly #attributes: Attributes;
  readonly #around: Surroundings;
  /** Of the object as it was when they were made: a webhook's patch replaces it. */
  #facts: { readonly object: unknown; readonly of: WriteFacts } | undefined;

  constructor(attributes: Attributes, around: Surroundings) {
    this.#attributes = attributes;
    this.#around = around;
  }

  isCalled({ hook, shownAs }: Candidate): boolean {
    if (!matchesSelectors(hook.selectors, this.#attributes, this.#around.objects)) return false;
    if (hook.conditions.length === 0) return true;
    const outcome = evaluateMatchConditions(hook.conditions, variablesFor(this.#currentFacts(), shownAs));
    if (outcome.type !== "error") return outcome.type === "match";
    if (hook.webhook.failurePolicy === "Ignore") return false;
    const { resource, name } = this.#attributes;
    const [first, ...more] = outcome.errors;
    const why = more.length === 0 ? (first ?? "") : `[${outcome.errors.join(", ")}]`;
    throw forbidden(resource.group, resource.plural, name, why);
  }

  #currentFacts(): WriteFacts {
    const { object } = this.#attributes;
    if (this.#facts?.object !== object || !this.#facts) {
      const of = new WriteFacts(this.#attributes, this.#around.authorizer, this.#around.objects);
      this.#facts = { object, of };
    }
    return this.#facts.of;
  }
}
