import type { KindRef, KubeList, KubeObject } from "../../language/object/meta.ts";

export type { KindRef };

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

export interface ReadOptions extends RequestOptions {
  namespace?: string | undefined;
  resourceVersion?: string | undefined;
}

export interface ListOptions extends ReadOptions {
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Size of a page; the client follows `continue` to the end. */
  pageSize?: number | undefined;
  resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

export interface WatchOptions extends ReadOptions {
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  allowWatchBookmarks?: boolean | undefined;
  sendInitialEvents?: boolean | undefined;
  timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends RequestOptions {
  namespace?: string | undefined;
  fieldManager?: string | undefined;
  dryRun?: boolean | undefined;
  fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
  subresource?: string | undefined;
}

export interface CreateOptions extends WriteOptions {
  /** Name of the object whose subresource is created, where `object` does not carry it. */
  name?: string | undefined;
  /** Return the object as it was sent, without parsing the server's response. */
  ignoreResponse?: boolean | undefined;
}

export interface DeleteOptions extends RequestOptions {
  namespace?: string | undefined;
  propagationPolicy?: "Foreground" | "Background" | "Orphan" | undefined;
  gracePeriodSeconds?: number | undefined;
  preconditions?: { uid?: string | undefined; resourceVersion?: string | undefined } | undefined;
  dryRun?: boolean | undefined;
}

export type Patch =
  | { type: "json"; operations: unknown[] }
  | { type: "merge"; patch: unknown }
  | { type: "strategic"; patch: unknown }
  | { type: "apply"; object: unknown; force?: boolean };

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; object: T }
  | { type: "ERROR"; object: unknown };

/** The requests that controllers and commands send to an API server. Failures are ApiError, see api-error.ts. */
export interface Client {
  get<T extends KubeObject>(
    of: KindRef<T>,
    name: string,
    options?: ReadOptions & { subresource?: string | undefined },
  ): Promise<T>;
  list<T extends KubeObject>(of: KindRef<T>, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(of: KindRef<T>, object: T, options?: CreateOptions): Promise<T>;
  update<T extends KubeObject>(of: KindRef<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(of: KindRef<T>, name: string, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Resolves when the server has accepted the deletion; finalizers may keep the object for a while. */
  delete<T extends KubeObject>(of: KindRef<T>, name: string, options?: DeleteOptions): Promise<void>;
  /** The events of one watch request until it ends or breaks. Reflector repeats it. */
  watch<T extends KubeObject>(of: KindRef<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** Any other request: discovery, health, version. */
  raw(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<unknown>;
}
