import type { KubeObject } from "../../../language/object/meta.ts";
import type { Resource } from "../resource.ts";
import type { Entry } from "../storage/store.ts";

/** Of one question: about as much as a page of a list. */
const mostObjects = 500;
const mostBytes = 1024 * 1024;
/** Questions about one list that are under way together. */
const mostQuestions = 4;

export interface Conversion {
  /** In the version it lies in. */
  readonly read: (entry: Entry, resource: Resource) => KubeObject;
  readonly convert: (objects: readonly KubeObject[], to: Resource) => Promise<KubeObject[]>;
  readonly done: (entry: Entry, resource: Resource, object: KubeObject) => void;
}

/** Entries on their way through webhooks: few questions for many objects, and none twice while it is being asked. */
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
      // One that fails lets none after it begin: they would fail likewise, each after its own time.
      const before = asked[asked.length - mostQuestions];
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
    if (batch.length === mostObjects || (batch.length > 0 && bytes + entry.bytes.length > mostBytes)) {
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
