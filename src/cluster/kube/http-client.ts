import type { KubeList, KubeObject } from "../../language/object/meta.ts";
import { isGone } from "./api-error.ts";
import type {
  Client,
  CreateOptions,
  DeleteOptions,
  KindRef,
  ListOptions,
  Patch,
  ReadOptions,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
import type { Connection, Impersonation } from "./connect/connection.ts";
import { jsonLines } from "./json-lines.ts";
import { LinkedAbort } from "./linked-abort.ts";
import { patchBody, requestPath, writeQuery } from "./request-parts.ts";
import { type Call, type RequesterOptions, Requester } from "./requester.ts";
import type { StreamedResponse } from "./streamed-response.ts";

export interface HttpClientOptions extends RequesterOptions {
  /** Objects in one page of a list. Default 500. */
  pageSize?: number | undefined;
}

export interface ActivityOptions {
  /** Called for every chunk of bytes: an event of many megabytes is not silence. */
  onActivity?: (() => void) | undefined;
}

/** The client over the network. The first request opens connections; they stay open. */
export class HttpClient implements Client {
  readonly connection: Connection;
  readonly #requester: Requester;
  readonly #options: HttpClientOptions;

  constructor(
    connection: Connection,
    options: HttpClientOptions = {},
    requester: Requester = new Requester(connection, options),
  ) {
    this.connection = connection;
    this.#options = options;
    this.#requester = requester;
  }

  /** The same account impersonating another user, over the same sockets. */
  as(impersonate: Impersonation): HttpClient {
    return this.for({ ...this.connection, impersonate });
  }

  /**
   * A client for another user of the same cluster over the same sockets: a thousand of these cost a thousand small
   * objects. Closing one closes all. TLS binds a client certificate to its socket, so this works with tokens only.
   */
  for(connection: Connection): HttpClient {
    return new HttpClient(connection, this.#options, this.#requester.for(connection));
  }

  async get<T extends KubeObject>(
    of: KindRef<T>,
    name: string,
    options: ReadOptions & { subresource?: string } = {},
  ): Promise<T> {
    const { namespace, resourceVersion, subresource } = options;
    const path = requestPath(of, { namespace, name, subresource, query: { resourceVersion } });
    return (await this.#requester.call({ method: "GET", path, isTyped: true, ...options })) as T;
  }

  async list<T extends KubeObject>(of: KindRef<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    try {
      return await this.#listPages(of, options, options.pageSize ?? this.#options.pageSize ?? 500);
    } catch (error) {
      // The continue token expired. A list in one piece needs no token.
      if (!(error instanceof ExpiredPage)) throw error;
      return this.#listPages(of, options, undefined);
    }
  }

  async #listPages<T extends KubeObject>(
    of: KindRef<T>,
    options: ListOptions,
    limit: number | undefined,
  ): Promise<KubeList<T>> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
    const selectors = { labelSelector, fieldSelector };
    let whole: KubeList<T> | undefined;
    let next: string | undefined;
    do {
      // A continue token already names the version.
      const version = next === undefined ? { resourceVersion, resourceVersionMatch } : { continue: next };
      // kube-apiserver answers version 0 from its cache, in one piece.
      const pages = resourceVersion === "0" ? {} : { limit };
      const path = requestPath(of, { namespace, query: { ...selectors, ...pages, ...version } });
      const page = await this.#page<T>({ method: "GET", path, isTyped: true, ...options }, next !== undefined);
      page.items ??= [];
      // The API server sends items of built-in kinds without apiVersion and kind.
      page.items = page.items.map((item) =>
        item.kind ? item : Object.assign({ apiVersion: of.apiVersion, kind: of.kind }, item),
      );
      if (whole === undefined) whole = page;
      else for (const item of page.items) whole.items.push(item);
      next = page.metadata?.continue || undefined;
    } while (next !== undefined);
    const { resourceVersion: version } = whole.metadata ?? {};
    whole.metadata = version === undefined ? {} : { resourceVersion: version };
    return whole;
  }

  async #page<T>(call: Call, continued: boolean): Promise<KubeList<T>> {
    try {
      return (await this.#requester.call(call)) as KubeList<T>;
    } catch (error) {
      throw continued && isGone(error) ? new ExpiredPage() : error;
    }
  }

  async create<T extends KubeObject>(of: KindRef<T>, object: T, options: CreateOptions = {}): Promise<T> {
    const { name, subresource, ignoreResponse } = options;
    const namespace = options.namespace ?? object.metadata.namespace;
    if (of.namespaced && !namespace)
      throw new TypeError(`create ${of.kind} "${object.metadata.name ?? ""}": a namespace is needed`);
    const target = subresource === undefined ? {} : { name: name ?? object.metadata.name, subresource };
    const path = requestPath(of, { ...target, namespace, query: writeQuery(options) });
    const created = await this.#requester.call({ method: "POST", path, body: object, isTyped: true, ...options });
    return ignoreResponse ? object : (created as T);
  }

  async update<T extends KubeObject>(of: KindRef<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { subresource } = options;
    const namespace = options.namespace ?? object.metadata.namespace;
    const name = object.metadata.name ?? "";
    const path = requestPath(of, { namespace, name, subresource, query: writeQuery(options) });
    return (await this.#requester.call({ method: "PUT", path, body: object, isTyped: true, ...options })) as T;
  }

  async patch<T extends KubeObject>(
    of: KindRef<T>,
    name: string,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const { namespace, subresource } = options;
    const { contentType, body, query } = patchBody(patch);
    const manager = patch.type === "apply" ? { fieldManager: options.fieldManager ?? "attune" } : {};
    const path = requestPath(of, {
      namespace,
      name,
      subresource,
      query: { ...writeQuery(options), ...query, ...manager },
    });
    return (await this.#requester.call({ method: "PATCH", path, body, contentType, isTyped: true, ...options })) as T;
  }

  async delete<T extends KubeObject>(of: KindRef<T>, name: string, options: DeleteOptions = {}): Promise<void> {
    const { namespace, propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy,
      gracePeriodSeconds,
      preconditions,
      ...(dryRun ? { dryRun: ["All"] } : {}),
    };
    const path = requestPath(of, { namespace, name });
    await this.#requester.call({ method: "DELETE", path, body, ignoreResponse: true, ...options });
  }

  async raw(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<unknown> {
    return this.#requester.call({ method, path, body, ...options });
  }

  /** A request whose response goes on: a stream, or another protocol on the same connection. */
  async open(call: Call, abort: LinkedAbort): Promise<StreamedResponse> {
    try {
      return await this.#requester.stream(call, abort);
    } catch (error) {
      throw this.#requester.asApiError(error, call);
    }
  }

  async *watch<T extends KubeObject>(
    of: KindRef<T>,
    options: WatchOptions & ActivityOptions = {},
  ): AsyncGenerator<WatchEvent<T>> {
    const { namespace, labelSelector, fieldSelector, resourceVersion, allowWatchBookmarks, timeoutSeconds } = options;
    // The API server refuses sendInitialEvents without these two.
    const initial = options.sendInitialEvents
      ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true }
      : {};
    const query = {
      watch: true,
      labelSelector,
      fieldSelector,
      resourceVersion,
      allowWatchBookmarks,
      timeoutSeconds,
      ...initial,
    };
    const call = { method: "GET", path: requestPath(of, { namespace, query }) };
    const abort = new LinkedAbort(options.signal);
    try {
      const { message } = await this.#requester.stream(call, abort);
      options.onActivity?.();
      for await (const event of jsonLines(message, options.onActivity)) yield event as WatchEvent<T>;
    } catch (error) {
      // The caller aborted: the stream just ends.
      if (options.signal?.aborted) return;
      throw this.#requester.asApiError(error, call);
    } finally {
      abort.unlink();
    }
  }

  /** Open connections, idle ones too. */
  get sockets(): number {
    return this.#requester.sockets;
  }

  /** Closes all connections. The client can be used again. */
  close(): void {
    this.#requester.close();
  }
}

class ExpiredPage extends Error {}
