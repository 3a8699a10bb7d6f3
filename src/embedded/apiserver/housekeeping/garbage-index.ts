import { equal } from "../../../language/object/json.ts";
import type { OwnerReference } from "../../../language/object/meta.ts";

/** The place of an object in the store. */
export interface Place {
  readonly collection: string;
  readonly key: string;
}

/** An object with owner references. */
export interface Dependent extends Place {
  readonly references: readonly OwnerReference[];
}

/** Dependents by the uid of their owners, whether these exist or not. */
export class GarbageIndex {
  readonly #dependents = new Map<string, Dependent>();
  readonly #byOwner = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.#dependents.size === 0;
  }

  has(ownerUid: string): boolean {
    return this.#byOwner.has(ownerUid);
  }

  referencesOf(place: Place): readonly OwnerReference[] {
    return this.#dependents.get(idOf(place))?.references ?? [];
  }

  /** Objects that name the uid as an owner. Lazy: most callers need only the first. */
  *of(ownerUid: string): Iterable<Dependent> {
    for (const id of this.#byOwner.get(ownerUid) ?? []) yield this.#dependents.get(id) as Dependent;
  }

  /**
   * Records the references of an object. Returns the earlier ones if they differ, undefined if nothing changed.
   */
  set(place: Place, references: readonly OwnerReference[]): readonly OwnerReference[] | undefined {
    const id = idOf(place);
    const before = this.referencesOf(place);
    if (equal(before, references)) return undefined;
    for (const { uid } of before) this.#unlink(uid, id);
    if (references.length === 0) this.#dependents.delete(id);
    else this.#dependents.set(id, { ...place, references });
    for (const { uid } of references) this.#link(uid, id);
    return before;
  }

  #link(uid: string, id: string): void {
    const ids = this.#byOwner.get(uid);
    if (ids) ids.add(id);
    else this.#byOwner.set(uid, new Set([id]));
  }

  #unlink(uid: string, id: string): void {
    const ids = this.#byOwner.get(uid);
    ids?.delete(id);
    if (ids?.size === 0) this.#byOwner.delete(uid);
  }
}

export function idOf({ collection, key }: Place): string {
  return `${collection}\0${key}`;
}
