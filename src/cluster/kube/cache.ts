import type { KubeObject } from "../../language/object/meta.ts";

export type CacheEvent<T> =
  | { type: "added"; object: T }
  | { type: "updated"; object: T; before: T }
  | { type: "deleted"; object: T };

/** What a controller reads instead of asking the server. Objects are shared: do not change them. */
export interface Cache<T extends KubeObject = KubeObject> {
  /** By `namespace/name`, or `name`. */
  get(key: string): T | undefined;
  list(): readonly T[];
  /** Objects for which the named index gives `value`. */
  byIndex(index: string, value: string): readonly T[];
}

export interface Informer<T extends KubeObject = KubeObject> extends Cache<T> {
  readonly synced: boolean;
  /** Resolves when the first complete list has been delivered; rejects when the signal aborts first. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Handlers run in the order of events, one event at a time; a new handler first gets every cached object as added. */
  subscribe(handler: (event: CacheEvent<T>) => void): () => void;
  /** Lists and watches until the signal aborts. Never rejects because of a server error: it retries. */
  run(signal: AbortSignal): Promise<void>;
}

const decimal = /^[1-9][0-9]*$/;

/**
 * Whether resource version `a` is older than `b`. Versions of one resource are growing decimal numbers that may exceed
 * what a double holds. Versions of any other form cannot be compared: then the answer is no.
 */
export function isOlder(a: string, b: string): boolean {
  if (!decimal.test(a) || !decimal.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}
