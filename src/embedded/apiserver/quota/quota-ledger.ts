import type { Pod, ResourceQuota } from "kubernetes-types/core/v1.js";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  type Quantity,
} from "../../../language/object/quantity.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { isCounted } from "./quota-scope.ts";
import { addAmounts, type Amounts, collectionUsing, usageOf } from "./resource-usage.ts";

/** Stored objects, as far as quotas need them. */
export interface CountedObjects {
  list(collection: string): readonly KubeObject[];
  listIn(collection: string, namespace: string): Iterable<KubeObject>;
  /** Uncommitted writes: the committed version and the newest one, where there is one. */
  uncommitted(collection: string, namespace: string): Iterable<Difference>;
  changedAt(collection: string): number;
  /** Committed changes in a namespace after a revision; undefined if some are no longer known. */
  changesIn(collection: string, namespace: string, revision: number): Difference[] | undefined;
}

interface Difference {
  readonly before?: KubeObject;
  readonly after?: KubeObject;
}

/** A sum over committed objects, and the revision up to which it counts. */
interface Sum {
  readonly spec: unknown;
  readonly at: number;
  readonly used: Amounts;
}

const QUOTAS = "resourcequotas";
const zero = parseQuantity("0");
/** Containers must say how much of these they need, if a quota limits them. */
const demanded = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

/** How much of each quota is used, and whether a write would exceed one. Sums follow from stored objects alone. */
export class QuotaLedger {
  readonly #objects: CountedObjects;
  /** By the uid of the quota. */
  readonly #sums = new Map<string, Sum>();

  constructor(objects: CountedObjects) {
    this.#objects = objects;
  }

  quotasIn(namespace: string): ResourceQuota[] {
    const all = this.#objects.list(QUOTAS) as readonly ResourceQuota[];
    return all.filter(({ metadata }) => metadata?.namespace === namespace);
  }

  /** What the committed objects of a namespace use of each limited resource. */
  used(quota: ResourceQuota): Amounts {
    const limited = Object.keys(quota.spec?.hard ?? {});
    const collections = [...new Set(limited.map(collectionUsing))];
    const at = Math.max(0, ...collections.map((collection) => this.#objects.changedAt(collection)));
    const { uid = "" } = quota.metadata ?? {};
    const known = this.#sums.get(uid);
    const isSame = known !== undefined && equal(known.spec, quota.spec);
    if (isSame && known.at === at) return known.used;
    const total = (isSame ? this.#continued(quota, collections, known) : undefined) ?? this.#total(quota, collections);
    const used: Amounts = new Map(limited.map((name) => [name, total.get(name) ?? zero]));
    this.#sums.set(uid, { spec: quota.spec, at, used });
    this.#forgetDeleted();
    return used;
  }

  #total(quota: ResourceQuota, collections: readonly string[]): Amounts {
    const total: Amounts = new Map();
    for (const collection of collections)
      for (const object of this.#objects.listIn(collection, quota.metadata?.namespace ?? ""))
        addAmounts(total, counted(quota, collection, object));
    return total;
  }

  /** The sum brought up to date by what has changed: a namespace may hold thousands of objects. */
  #continued(quota: ResourceQuota, collections: readonly string[], { at, used }: Sum): Amounts | undefined {
    const total = new Map(used);
    for (const collection of collections) {
      const changes = this.#objects.changesIn(collection, quota.metadata?.namespace ?? "", at);
      if (!changes) return undefined;
      for (const change of changes) addDifference(total, quota, collection, change);
    }
    return total;
  }

  #forgetDeleted(): void {
    const quotas = this.#objects.list(QUOTAS);
    if (this.#sums.size <= quotas.length) return;
    const present = new Set(quotas.map(({ metadata }) => metadata.uid));
    for (const uid of this.#sums.keys()) if (!present.has(uid)) this.#sums.delete(uid);
  }

  /** Why a quota forbids the write; undefined if none does. `old` is absent for a new object. */
  refusal(collection: string, object: KubeObject, old?: KubeObject): string | undefined {
    if (this.#objects.list(QUOTAS).length === 0) return undefined;
    for (const quota of this.quotasIn(object.metadata.namespace ?? "")) {
      const why = this.#exceeded(quota, collection, object, old);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  #exceeded(quota: ResourceQuota, collection: string, object: KubeObject, old?: KubeObject): string | undefined {
    const { hard = {} } = quota.spec ?? {};
    if (!isCounted(quota.spec ?? {}, collection, object)) return undefined;
    const missing = collection === "pods" && !old ? undeclared(object as Pod, Object.keys(hard)) : [];
    if (missing.length > 0) return `failed quota: ${quota.metadata?.name}: must specify ${missing.join("; ")}`;
    const asked = counted(quota, collection, object);
    if (old) subtract(asked, counted(quota, collection, old));
    const growing = Object.keys(hard).filter((name) => compareQuantities(asked.get(name) ?? zero, zero) > 0);
    if (growing.length === 0) return undefined;
    const used = this.#usedWithUncommitted(quota, collection);
    const over = growing.filter(
      (name) =>
        compareQuantities(addQuantities(used.get(name) ?? zero, asked.get(name) as Quantity), limit(hard, name)) > 0,
    );
    if (over.length === 0) return undefined;
    const listed = (amountOf: (name: string) => Quantity) =>
      over
        .toSorted()
        .map((name) => `${name}=${formatQuantity(amountOf(name))}`)
        .join(",");
    return `exceeded quota: ${quota.metadata?.name}, requested: ${listed((name) => asked.get(name) as Quantity)}, used: ${listed((name) => used.get(name) ?? zero)}, limited: ${listed((name) => limit(hard, name))}`;
  }

  /** Includes writes on their way to disk, so that many at once cannot exceed a quota together. */
  #usedWithUncommitted(quota: ResourceQuota, collection: string): Amounts {
    const used = new Map(this.used(quota));
    for (const change of this.#objects.uncommitted(collection, quota.metadata?.namespace ?? ""))
      addDifference(used, quota, collection, change);
    return used;
  }
}

function counted(quota: ResourceQuota, collection: string, object: KubeObject): Amounts {
  return isCounted(quota.spec ?? {}, collection, object) ? usageOf(collection, object) : new Map();
}

function addDifference(total: Amounts, quota: ResourceQuota, collection: string, { before, after }: Difference): void {
  if (before) subtract(total, counted(quota, collection, before));
  if (after) addAmounts(total, counted(quota, collection, after));
}

function subtract(total: Amounts, less: Amounts): void {
  for (const [name, amount] of less) total.set(name, addQuantities(total.get(name) ?? zero, negateQuantity(amount)));
}

const limit = (hard: Readonly<Record<string, string>>, name: string): Quantity => parseQuantity(hard[name] ?? "0");

/** `cpu for: a,b`: the containers that do not say how much they need. */
function undeclared({ spec }: Pod, limited: readonly string[]): string[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return limited
    .filter((name) => demanded.has(name))
    .toSorted()
    .flatMap((name) => {
      const [side, resource] = name.startsWith("limits.")
        ? (["limits", name.slice("limits.".length)] as const)
        : (["requests", name.replace("requests.", "")] as const);
      const silent = containers.filter(({ resources }) => resources?.[side]?.[resource] === undefined);
      return silent.length > 0
        ? [
            `${name} for: ${silent
              .map((container) => container.name)
              .toSorted()
              .join(",")}`,
          ]
        : [];
    });
}
