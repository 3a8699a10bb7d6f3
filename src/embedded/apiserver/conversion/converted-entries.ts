import type { KubeObject } from "../../../language/object/meta.ts";
import type { Resource } from "../resource.ts";
import type { Entry } from "../storage/store.ts";

/** The limits of one call to the webhook: about a page of a list. */
const maxObjects = 500;
const maxBytes = 1024 * 1024;
/** Concurrent calls for one list. */
const maxQuestions = 4;

export interface Conversion {
  /** The object in its stored version. */
  readonly read: (entry: Entry, resource: Resource) => KubeObject;
  readonly convert: (objects: readonly KubeObject[], to: Resource) => Promise<KubeObject[]>;
  readonly done: (entry: Entry, resource: Resource, object: KubeObject) => void;
}

/** Converts entries by webhook: batched, and never twice at the same time. */
export class ConvertedEntries {
  readonly #underWay = new WeakMap<Entry, Map<Resource, Promise<void>>>();
  readonly #conversion: Conversion;

  constructor(conversion: Conversion) {
    this.#conversion = conversion;
  }

  convert(entries: readonly Entry[], resource: Resource): Promise<unknown> {
    const waiting = new Set<Promise<void>>();
    const missing: Entry[] = [];
    for (const entry of entries) {
      const underWay = this.#underWay.get(entry)?.get(resource);
      if (underWay) waiting.add(underWay);
      else missing.push(entry);
    }
    const asked: Promise<void>[] = [];
    for (const batch of batchesOf(missing)) {
      // After a failed call no later one starts: each would probably run into its own timeout.
      const before = asked[asked.length - maxQuestions];
      const answer = before ? before.then(() => this.#ask(batch, resource)) : this.#ask(batch, resource);
      for (const entry of batch) this.#mark(entry, resource, answer);
      asked.push(answer);
    }
    return Promise.all([...waiting, ...asked]);
  }

  async #ask(batch: readonly Entry[], resource: Resource): Promise<void> {
    const { read, convert, done } = this.#conversion;
    try {
      const objects = batch.map((entry) => read(entry, resource));
      const converted = await convert(objects, resource);
      for (const [index, entry] of batch.entries()) done(entry, resource, converted[index] as KubeObject);
    } finally {
      for (const entry of batch) this.#underWay.get(entry)?.delete(resource);
    }
  }

  #mark(entry: Entry, resource: Resource, answer: Promise<void>): void {
    let ofEntry = this.#underWay.get(entry);
    if (!ofEntry) this.#underWay.set(entry, (ofEntry = new Map()));
    ofEntry.set(resource, answer);
  }
}

function batchesOf(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let batch: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (batch.length === maxObjects || (batch.length > 0 && bytes + entry.bytes.length > maxBytes)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += entry.bytes.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
