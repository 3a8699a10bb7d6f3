import type { KindRef } from "../../language/object/kind-ref.ts";
import type { KubeList, KubeObject } from "../../language/object/meta.ts";

export type { KindRef };

export interface RequestOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface ReadOptions extends RequestOptions {
  namespace?: string;
  resourceVersion?: string;
}

export interface ListOptions extends ReadOptions {
  labelSelector?: string;
  fieldSelector?: string;
  /** Size of a page; the client follows `continue` to the end. */
  pageSize?: number;
  resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface WatchOptions extends ReadOptions {
  labelSelector?: string;
  fieldSelector?: string;
  allowWatchBookmarks?: boolean;
  sendInitialEvents?: boolean;
  timeoutSeconds?: number;
}

export interface WriteOptions extends RequestOptions {
  namespace?: string;
  fieldManager?: string;
  dryRun?: boolean;
  fieldValidation?: "Strict" | "Warn" | "Ignore";
  subresource?: string;
}

export interface CreateOptions extends WriteOptions {
  /** Of the object whose subresource is created, where `object` does not name it. */
  name?: string;
  /** The object is given back as it was sent: what the server made of it need not be read. */
  ignoreAnswer?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  namespace?: string;
  propagationPolicy?: "Foreground" | "Background" | "Orphan";
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

export type Patch =
  | { type: "json"; operations: unknown[] }
  | { type: "merge"; patch: unknown }
  | { type: "strategic"; patch: unknown }
  | { type: "apply"; object: unknown; force?: boolean };

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; object: T }
  | { type: "ERROR"; object: unknown };

/** What controllers and commands ask of an API server. Failures are ApiError, see api-error.ts. */
export interface Client {
  get<T extends KubeObject>(of: KindRef<T>, name: string, options?: ReadOptions & { subresource?: string }): Promise<T>;
  list<T extends KubeObject>(of: KindRef<T>, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(of: KindRef<T>, object: T, options?: CreateOptions): Promise<T>;
  update<T extends KubeObject>(of: KindRef<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(of: KindRef<T>, name: string, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Resolves when the server has accepted the deletion; finalizers may keep the object for a while. */
  delete<T extends KubeObject>(of: KindRef<T>, name: string, options?: DeleteOptions): Promise<void>;
  /** One watch request, event by event, until it ends or breaks. Reflector makes it last. */
  watch<T extends KubeObject>(of: KindRef<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** Any other request: discovery, health, version. */
  raw(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<unknown>;
}
