import { apiVersionOf, type KubeObject, type OwnerReference } from "../../../language/object/meta.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { asStored } from "../conversion/stored-version.ts";
import { collectionOf } from "../registry.ts";
import type { RequestContext, Services } from "../request/context.ts";
import { remove } from "../request/delete.ts";
import { patch } from "../request/patch.ts";
import { isReleased } from "../request/update.ts";
import type { Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { decodeObject } from "../storage/object-codec.ts";
import type { Change, Entry } from "../storage/store.ts";
import { GarbageIndex, idOf, type Dependent, type Place } from "./garbage-index.ts";
import { FOREGROUND, judge, ORPHAN, type OwnerState, type Verdict } from "./garbage-verdict.ts";
import { serverRequest } from "./server-writes.ts";

/** Objects per turn of the event loop, so that requests are not held up: each may cost a write. */
const perTurn = 100;

/** Searched in stored bytes: most objects contain neither and are not parsed. */
const REFERENCES = Buffer.from('"ownerReferences":[');
const DELETED = Buffer.from('"deletionTimestamp":"');

const COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector";

/** Deletes objects whose owners are gone, and completes foreground and orphaning deletions. */
export class GarbageCollector {
  readonly #services: Services;
  readonly #log: Log;
  readonly #index = new GarbageIndex();
  readonly #watched = new Map<string, () => void>();
  /** One resource of each stored kind, by collection; below, every served version, by apiVersion and kind. */
  #resources = new Map<string, Resource>();
  #kinds = new Map<string, Resource>();
  #generation = -1;
  /** Objects to check, in order of arrival. */
  readonly #queue = new Map<string, Place>();
  /** Owners that wait for their dependents, by uid, with the finalizer that keeps them. */
  readonly #waiting = new Map<string, Place & { readonly finalizer: string }>();
  /** Removed owners that still have dependents, which are garbage even if the owner's kind is no longer served. */
  readonly #gone = new Map<string, Place>();
  /** Objects that are kept because the kind of an owner is not served; checked again when it is. */
  readonly #undecided = new Map<string, Place>();
  #working = false;
  #stopped = false;

  constructor(services: Services, log: Log) {
    this.#services = services;
    this.#log = log;
  }

  start(): () => void {
    const { store } = this.#services;
    this.#followKinds();
    const stop = store.watch("customresourcedefinitions.apiextensions.k8s.io", () => this.#followKinds());
    return () => {
      this.#stopped = true;
      stop();
      for (const stopWatching of this.#watched.values()) stopWatching();
    };
  }

  #followKinds(): void {
    const { registry, store } = this.#services;
    if (registry.generation === this.#generation) return;
    this.#generation = registry.generation;
    const stored = registry.all().filter(({ compute }) => !compute);
    this.#resources = new Map(stored.map((resource) => [collectionOf(resource), resource]));
    this.#kinds = new Map(
      stored.map((resource) => [`${apiVersionOf(resource.group, resource.version)} ${resource.kind}`, resource]),
    );
    for (const [collection, stopWatching] of this.#watched)
      if (!this.#resources.has(collection)) {
        stopWatching();
        this.#watched.delete(collection);
      }
    for (const collection of this.#resources.keys()) {
      if (this.#watched.has(collection)) continue;
      for (const entry of store.list(collection)) this.#stored({ collection, key: entry.key }, entry);
      this.#watched.set(
        collection,
        store.watch(collection, (changes) => changes.forEach((change) => this.#changed(change))),
      );
    }
    for (const place of this.#undecided.values()) this.#enqueue(place);
    this.#undecided.clear();
  }

  #changed({ collection, key, before, after }: Change): void {
    const place = { collection, key };
    if (after) this.#stored(place, after);
    else this.#removed(place, before as Entry);
  }

  #stored(place: Place, { bytes }: Entry): void {
    const references = bytes.includes(REFERENCES) ? (decodeObject(bytes).metadata.ownerReferences ?? []) : [];
    const before = this.#index.set(place, references);
    if (before) {
      this.#referencesRemoved(before);
      if (references.length > 0) this.#enqueue(place);
    }
    if (bytes.includes(DELETED) && (bytes.includes(`"${FOREGROUND}"`) || bytes.includes(`"${ORPHAN}"`)))
      this.#enqueue(place);
  }

  #removed(place: Place, before: Entry): void {
    if (this.#index.isEmpty && this.#waiting.size === 0) return;
    this.#undecided.delete(idOf(place));
    this.#referencesRemoved(this.#index.set(place, []) ?? []);
    const { uid = "" } = decodeObject(before.bytes).metadata;
    this.#waiting.delete(uid);
    if (!this.#index.has(uid)) return;
    this.#gone.set(uid, place);
    for (const dependent of this.#index.of(uid)) this.#enqueue(dependent);
  }

  /** References were removed or changed: an owner may have waited for that. */
  #referencesRemoved(references: readonly OwnerReference[]): void {
    for (const { uid } of references) {
      const owner = this.#waiting.get(uid);
      if (owner) this.#enqueue(owner);
      if (!this.#index.has(uid)) this.#gone.delete(uid);
    }
  }

  #enqueue({ collection, key }: Place): void {
    const place = { collection, key };
    this.#queue.set(idOf(place), place);
    if (this.#working || this.#stopped) return;
    this.#working = true;
    setImmediate(() => void this.#work());
  }

  /** Works in batches, each after the previous one is committed, so that requests run in between. */
  async #work(): Promise<void> {
    while (this.#queue.size > 0 && !this.#stopped) {
      const writes: Promise<void>[] = [];
      let left = perTurn;
      for (const [id, place] of this.#queue) {
        if (left-- === 0) break;
        this.#queue.delete(id);
        writes.push(this.#settle(place));
      }
      await Promise.all(writes);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#working = false;
  }

  /** Handles one object; its failure does not affect the others. */
  async #settle(place: Place): Promise<void> {
    try {
      await this.#check(place);
    } catch (error) {
      const overtaken = error instanceof StatusError && (error.code === 404 || error.code === 409);
      if (!overtaken) this.#log.error({ error, ...place }, "collect garbage failed");
    }
  }

  async #check(place: Place): Promise<void> {
    const resource = this.#resources.get(place.collection);
    const entry = this.#services.store.head(place.collection, place.key);
    if (!resource || !entry) return;
    const object = decodeObject(entry.bytes);
    const { ownerReferences = [], uid = "" } = object.metadata;
    const durable = this.#services.store.get(place.collection, place.key) === entry;
    const owners = ownerReferences.map((reference) => ({ reference, state: this.#stateOf(reference, place) }));
    if (owners.some(({ state }) => state === "unknown")) this.#undecided.set(idOf(place), place);
    else this.#undecided.delete(idOf(place));
    const verdict = judge({
      metadata: object.metadata,
      owners,
      released: durable && object.metadata.deletionTimestamp !== undefined && isReleased(object, resource),
      hasDependents: () => this.#someDependent(uid, place, () => true),
      hasBlockingDependents: () =>
        this.#someDependent(uid, place, ({ blockOwnerDeletion }) => blockOwnerDeletion === true),
      isInCircle: () => this.#isInCircle(place, ownerReferences),
    });
    // Dependents are checked against committed state, which does not show the deletion yet. The commit triggers this again.
    if (!durable && (verdict.type === "wait" || verdict.type === "release")) return;
    await this.#carryOut(verdict, object, place, asStored(resource, entry));
  }

  async #carryOut(verdict: Verdict, object: KubeObject, place: Place, resource: Resource): Promise<void> {
    const { uid = "", finalizers = [] } = object.metadata;
    const context = this.#contextFor(place, resource);
    switch (verdict.type) {
      case "keep":
        return;
      case "rewrite":
        return this.#patch(context, { ownerReferences: orNull(verdict.references) });
      case "wait":
        this.#await(uid, { ...place, finalizer: verdict.finalizer });
        return;
      case "release":
        // Dependents without blockOwnerDeletion are checked too, while the owner's deletion is still visible.
        if (this.#index.has(uid) && this.#await(uid, { ...place, finalizer: verdict.finalizer }))
          return this.#enqueue(place);
        this.#waiting.delete(uid);
        return this.#patch(context, { finalizers: orNull(finalizers.filter((name) => name !== verdict.finalizer)) });
      case "delete":
        return this.#delete(context, uid, verdict.propagation);
    }
  }

  /** Queues the dependents once; from then on, their changes queue the owner. True if this is new. */
  #await(uid: string, owner: Place & { readonly finalizer: string }): boolean {
    if (this.#waiting.get(uid)?.finalizer === owner.finalizer) return false;
    this.#waiting.set(uid, owner);
    for (const dependent of this.#index.of(uid)) this.#enqueue(dependent);
    return true;
  }

  async #patch(context: RequestContext, metadata: object): Promise<void> {
    await patch(context, JSON.stringify({ metadata }), "application/merge-patch+json");
  }

  async #delete(context: RequestContext, uid: string, propagationPolicy: string): Promise<void> {
    await remove(context, { propagationPolicy, preconditions: { uid } });
  }

  #contextFor({ key }: Place, resource: Resource): RequestContext {
    return { ...serverRequest(this.#services, resource, key, COLLECTOR), userAgent: "kube-controller-manager" };
  }

  #stateOf(reference: OwnerReference, dependent: Place): OwnerState {
    const place = this.#ownerOf(reference, dependent);
    if (place === "misplaced") return place;
    if (place === "unknown") {
      const gone = this.#gone.get(reference.uid);
      return gone && ["", namespaceOf(dependent)].includes(namespaceOf(gone)) ? "gone" : "unknown";
    }
    const metadata = this.#services.reader.get(place.collection, place.key)?.metadata;
    if (metadata?.uid !== reference.uid) return "gone";
    if (!metadata.deletionTimestamp) return "present";
    if (metadata.finalizers?.includes(ORPHAN)) return "orphaning";
    return metadata.finalizers?.includes(FOREGROUND) ? "deleting" : "present";
  }

  /** Where the owner would be: in the namespace of the dependent, or cluster-scoped. */
  #ownerOf({ apiVersion, kind, name }: OwnerReference, dependent: Place): Place | "unknown" | "misplaced" {
    const resource = this.#kinds.get(`${apiVersion} ${kind}`);
    if (!resource) return "unknown";
    const collection = collectionOf(resource);
    if (!resource.namespaced) return { collection, key: name };
    const namespace = namespaceOf(dependent);
    return namespace === "" ? "misplaced" : { collection, key: `${namespace}/${name}` };
  }

  #someDependent(uid: string, owner: Place, test: (reference: OwnerReference) => boolean): boolean {
    for (const dependent of this.#index.of(uid)) {
      // An object that owns itself must not wait for itself.
      if (isAt(dependent, owner)) continue;
      for (const reference of dependent.references)
        if (reference.uid === uid && isAt(this.#ownerOf(reference, dependent), owner) && test(reference)) return true;
    }
    return false;
  }

  /** Follows blocking owner references of waiting owners: do they lead back to the start? */
  #isInCircle(start: Place, references: readonly OwnerReference[]): boolean {
    const seen = new Set<string>();
    const ahead: Dependent[] = [{ ...start, references }];
    for (let dependent = ahead.pop(); dependent; dependent = ahead.pop())
      for (const reference of dependent.references) {
        const owner = this.#ownerOf(reference, dependent);
        if (!reference.blockOwnerDeletion || typeof owner === "string" || isAt(owner, dependent)) continue;
        if (isAt(owner, start)) return true;
        if (!this.#waiting.has(reference.uid) || seen.has(reference.uid)) continue;
        seen.add(reference.uid);
        ahead.push({ ...owner, references: this.#index.referencesOf(owner) });
      }
    return false;
  }
}

function isAt(place: Place | string, { collection, key }: Place): boolean {
  return typeof place !== "string" && place.key === key && place.collection === collection;
}

function namespaceOf({ key }: Place): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}

/** In a merge patch, null removes a list. */
function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length > 0 ? list : null;
}
