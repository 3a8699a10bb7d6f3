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
import { ownRequest } from "./server-writes.ts";

/** Objects looked at before requests get their turn: each may cost a write. */
const perTurn = 100;

/** As an object has them in its stored bytes: most have neither, and are not parsed. */
const REFERENCES = Buffer.from('"ownerReferences":[');
const DELETED = Buffer.from('"deletionTimestamp":"');

const COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector";

/** Deletes what its owners leave behind, and serves deletions that wait for dependents to go or to be orphaned. */
export class GarbageCollector {
  readonly #services: Services;
  readonly #log: Log;
  readonly #index = new GarbageIndex();
  readonly #watched = new Map<string, () => void>();
  /** One version of each stored kind, by collection; and every served version, by apiVersion and kind. */
  #resources = new Map<string, Resource>();
  #kinds = new Map<string, Resource>();
  #generation = -1;
  /** To be looked at, in the order it came up. */
  readonly #queue = new Map<string, Place>();
  /** Owners that wait for their dependents, by uid, and by which finalizer. */
  readonly #waiting = new Map<string, Place & { readonly finalizer: string }>();
  /** Owners that were seen to go and have dependents: even if their kind goes too, these are garbage. */
  readonly #gone = new Map<string, Place>();
  /** Left alone because the kind of an owner is not served; it may be one day. */
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
      for (const entry of store.list(collection)) this.#noted({ collection, key: entry.key }, entry);
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
    if (after) this.#noted(place, after);
    else this.#vanished(place, before as Entry);
  }

  #noted(place: Place, { bytes }: Entry): void {
    const references = bytes.includes(REFERENCES) ? (decodeObject(bytes).metadata.ownerReferences ?? []) : [];
    const before = this.#index.set(place, references);
    if (before) {
      this.#forgotten(before);
      if (references.length > 0) this.#enqueue(place);
    }
    if (bytes.includes(DELETED) && (bytes.includes(`"${FOREGROUND}"`) || bytes.includes(`"${ORPHAN}"`)))
      this.#enqueue(place);
  }

  #vanished(place: Place, before: Entry): void {
    if (this.#index.isEmpty && this.#waiting.size === 0) return;
    this.#undecided.delete(idOf(place));
    this.#forgotten(this.#index.set(place, []) ?? []);
    const { uid = "" } = decodeObject(before.bytes).metadata;
    this.#waiting.delete(uid);
    if (!this.#index.has(uid)) return;
    this.#gone.set(uid, place);
    for (const dependent of this.#index.of(uid)) this.#enqueue(dependent);
  }

  /** References are no more as they were: it may be what an owner waited for. */
  #forgotten(references: readonly OwnerReference[]): void {
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

  /** A few at a time, and the next only once those are on disk: requests come between. */
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

  /** What becomes of one object; a failure is its own and keeps no other waiting. */
  async #settle(place: Place): Promise<void> {
    try {
      await this.#lookAt(place);
    } catch (error) {
      const overtaken = error instanceof StatusError && (error.code === 404 || error.code === 409);
      if (!overtaken) this.#log.error({ error, ...place }, "garbage could not be collected");
    }
  }

  async #lookAt(place: Place): Promise<void> {
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
    // Dependents see what is on disk, and would not know yet that it goes. The commit brings us here again.
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
        // Dependents that nobody waits for have their turn too, while it is still known that the owner goes.
        if (this.#index.has(uid) && this.#await(uid, { ...place, finalizer: verdict.finalizer }))
          return this.#enqueue(place);
        this.#waiting.delete(uid);
        return this.#patch(context, { finalizers: orNull(finalizers.filter((name) => name !== verdict.finalizer)) });
      case "delete":
        return this.#delete(context, uid, verdict.propagation);
    }
  }

  /** Looks at dependents once; from then on, each that changes brings us back to the owner. True if this is new. */
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
    return { ...ownRequest(this.#services, resource, key, COLLECTOR), userAgent: "kube-controller-manager" };
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

  /** Where the owner is, if it is: in the namespace of the dependent, or in none. */
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
      // What owns itself would wait for itself.
      if (isAt(dependent, owner)) continue;
      for (const reference of dependent.references)
        if (reference.uid === uid && isAt(this.#ownerOf(reference, dependent), owner) && test(reference)) return true;
    }
    return false;
  }

  /** Goes up from owner to owner, as far as each is held by the one before: does that lead back to where it began? */
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

/** A merge patch takes a list away by saying null. */
function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length > 0 ? list : null;
}
