import { patch } from "../../src/embedded/apiserver/request/patch.ts";
import { watch, type EventType, type WatchSink } from "../../src/embedded/apiserver/request/watch.ts";
import { StatusError } from "../../src/embedded/apiserver/status-error.ts";
import { decodeObject } from "../../src/embedded/apiserver/storage/object-codec.ts";
import type { Entry } from "../../src/embedded/apiserver/storage/store.ts";
import type { Body, SmallServer, Target } from "../../src/embedded/apiserver/testing/small-server.ts";
import { apiErrorFromStatus } from "../../src/cluster/kube/api-error.ts";
import type {
  Client,
  CreateOptions,
  DeleteOptions,
  KindRef,
  ListOptions,
  Patch,
  ReadOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../src/cluster/kube/client.ts";
import type { Json } from "../../src/language/object/json.ts";
import type { KubeList, KubeObject } from "../../src/language/object/meta.ts";

export interface DirectClientOptions {
  /** Called after each write that succeeded: `create pods`, `update replicasets/status`. */
  onWrite?: (write: string) => void;
  /** Called before each write; an error it throws is the answer. */
  beforeWrite?: (write: string, object: KubeObject | undefined) => void;
  /** How long after a write the watches of this kind deliver it. */
  lagMs?: (plural: string) => number;
}

interface Write {
  readonly verb: string;
  readonly of: KindRef;
  readonly subresource?: string | undefined;
  readonly object?: KubeObject;
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** A client without sockets: requests go straight to the small server's handlers, on its clock. */
export class DirectClient implements Client {
  readonly #server: SmallServer;
  readonly #options: DirectClientOptions;

  constructor(server: SmallServer, options: DirectClientOptions = {}) {
    this.#server = server;
    this.#options = options;
  }

  async get<T extends KubeObject>(of: KindRef<T>, name: string, { namespace }: ReadOptions = {}): Promise<T> {
    return refusals(async () => structuredClone(this.#server.get(nameOf(of), { namespace, name })) as T);
  }

  async list<T extends KubeObject>(of: KindRef<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    return refusals(async () => {
      const { names, revision } = this.#server.list(nameOf(of), {
        namespace: options.namespace,
        query: queryOf(options),
      });
      const items = names.map((key) => {
        const [first = "", second] = key.split("/");
        const target = second === undefined ? { name: first } : { namespace: first, name: second };
        return structuredClone(this.#server.get(nameOf(of), target)) as T;
      });
      return {
        apiVersion: of.apiVersion,
        kind: `${of.kind}List`,
        metadata: { resourceVersion: String(revision) },
        items,
      };
    });
  }

  async create<T extends KubeObject>(of: KindRef<T>, object: T, options: CreateOptions = {}): Promise<T> {
    const { namespace = object.metadata.namespace, subresource, name } = options;
    return this.#write({ verb: "create", of, subresource, object }, async () => {
      const created = await this.#server.create(nameOf(of), plain(object), {
        namespace,
        name,
        subresource,
        query: managerOf(options),
      });
      return structuredClone(created) as T;
    });
  }

  async update<T extends KubeObject>(of: KindRef<T>, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write({ verb: "update", of, subresource: options.subresource, object }, async () => {
      const updated = await this.#server.update(nameOf(of), plain(object), {
        subresource: options.subresource,
        query: managerOf(options),
      });
      return structuredClone(updated) as T;
    });
  }

  async patch<T extends KubeObject>(of: KindRef<T>, name: string, body: Patch, options: WriteOptions = {}): Promise<T> {
    const { namespace, subresource } = options;
    const content = body.type === "json" ? body.operations : body.type === "apply" ? body.object : body.patch;
    return this.#write({ verb: "patch", of, subresource }, async () => {
      const query = { ...managerOf(options), ...(body.type === "apply" && body.force ? { force: "true" } : {}) };
      const context = this.#server.context(nameOf(of), { namespace, name, subresource, query });
      const answer = await patch(context, JSON.stringify(content), patchTypes[body.type]);
      if (answer.type === "list") throw new Error("patch: the answer is not one object");
      const object = answer.type === "entry" ? decodeObject(answer.entry.bytes) : answer.object;
      return structuredClone(object) as T;
    });
  }

  async delete<T extends KubeObject>(of: KindRef<T>, name: string, options: DeleteOptions = {}): Promise<void> {
    const { namespace, propagationPolicy, gracePeriodSeconds, preconditions } = options;
    await this.#write({ verb: "delete", of }, async () => {
      const body = { propagationPolicy, gracePeriodSeconds, preconditions };
      await this.#server.delete(nameOf(of), { namespace, name }, JSON.parse(JSON.stringify(body)) as Json);
    });
  }

  watch<T extends KubeObject>(of: KindRef<T>, options: WatchOptions & ListOptions = {}): AsyncIterable<WatchEvent<T>> {
    const target: Target = { namespace: options.namespace, query: { ...queryOf(options), watch: "true" } };
    const lag = this.#options.lagMs?.(of.plural) ?? 0;
    const later = (deliver: () => void): void => void (lag > 0 ? this.#server.clock.after(lag, deliver) : deliver());
    const sink = new EventQueue<T>(of, options.signal, later);
    watch(this.#server.context(nameOf(of), target), sink);
    return sink;
  }

  raw(): Promise<unknown> {
    return Promise.reject(new Error("raw: not supported by the direct client"));
  }

  async #write<R>({ verb, of, subresource, object }: Write, send: () => Promise<R>): Promise<R> {
    const write = `${verb} ${of.plural}${subresource ? `/${subresource}` : ""}`;
    this.#options.beforeWrite?.(write, object);
    const answer = await refusals(send);
    this.#options.onWrite?.(write);
    return answer;
  }
}

function nameOf({ apiVersion, plural }: KindRef): string {
  return `${plural}/${apiVersion.slice(apiVersion.indexOf("/") + 1)}`;
}

function managerOf({ fieldManager }: WriteOptions): Record<string, string> {
  return fieldManager === undefined ? {} : { fieldManager };
}

/** As JSON sends it: without keys whose value is undefined. */
function plain(object: KubeObject): Body {
  return JSON.parse(JSON.stringify(object)) as Body;
}

function queryOf(options: ListOptions & WatchOptions): Record<string, string> {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
  const { allowWatchBookmarks, sendInitialEvents, timeoutSeconds } = options;
  const named = {
    labelSelector,
    fieldSelector,
    resourceVersion,
    resourceVersionMatch: sendInitialEvents ? "NotOlderThan" : resourceVersionMatch,
    allowWatchBookmarks,
    sendInitialEvents,
    timeoutSeconds,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  );
}

async function refusals<R>(send: () => Promise<R>): Promise<R> {
  try {
    return await send();
  } catch (error) {
    throw error instanceof StatusError ? apiErrorFromStatus(error.toStatus()) : error;
  }
}

class EventQueue<T extends KubeObject> implements WatchSink, AsyncIterable<WatchEvent<T>> {
  readonly #of: KindRef<T>;
  readonly #later: (deliver: () => void) => void;
  readonly #closed = new AbortController();
  readonly #events: WatchEvent<T>[] = [];
  #wake = (): void => {};
  #ended = false;

  constructor(of: KindRef<T>, signal: AbortSignal | undefined, later: (deliver: () => void) => void) {
    this.#of = of;
    this.#later = later;
    signal?.addEventListener("abort", () => this.end(), { once: true });
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Built-in kinds need no conversion. */
  ready(): undefined {}

  event(type: EventType, { bytes }: Entry): void {
    this.#push({ type, object: decodeObject(bytes) as T });
  }

  bookmark(revision: number, initialEventsEnd: boolean): void {
    const annotations = initialEventsEnd ? { "k8s.io/initial-events-end": "true" } : undefined;
    const { apiVersion, kind } = this.#of;
    const object = { apiVersion, kind, metadata: { resourceVersion: String(revision), annotations } };
    this.#push({ type: "BOOKMARK", object: object as unknown as T });
  }

  error(error: StatusError): void {
    this.#push({ type: "ERROR", object: error.toStatus() });
  }

  flush(): void {}

  end(): void {
    this.#ended = true;
    this.#closed.abort();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    try {
      for (;;) {
        const next = this.#events.shift();
        if (next) yield next;
        else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
    }
  }

  #push(event: WatchEvent<T>): void {
    this.#later(() => {
      this.#events.push(event);
      this.#wake();
    });
  }
}
