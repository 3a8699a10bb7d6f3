import type { KubeObject } from "../../language/object/meta.ts";

export type CacheEvent<T> =
  | { type: "added"; object: T }
  | { type: "updated"; object: T; before: T }
  | { type: "deleted"; object: T };

/** What a controller reads instead of the server. Objects are shared and never to be changed. */
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
  /** Handlers run in the order of events, one event at a time; a new handler is first told of what is there. */
  subscribe(handler: (event: CacheEvent<T>) => void): () => void;
  /** Lists and watches until the signal aborts. Never rejects for a server's fault: it tries again. */
  run(signal: AbortSignal): Promise<void>;
}
