import { type KubeList, type KubeObject, keyOf } from "../../../language/object/meta.ts";
import { ApiError, apiErrorFromStatus } from "../api-error.ts";
import type { KindRef, ListOptions, WatchEvent, WatchOptions } from "../client.ts";
import type { ListerWatcher } from "../informer/reflector.ts";

type Change = { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubeObject };

/** A request of the reflector. */
export type ModelCall =
  | { verb: "list"; options: ListOptions }
  | { verb: "watch"; options: WatchOptions & { onActivity?: () => void } };

export function refusal(code: number, reason = "", details?: unknown): ApiError {
  return apiErrorFromStatus({ kind: "Status", code, reason, message: `${code} ${reason}`, details });
}

export function reset(): ApiError {
  return new ApiError({ code: 0, reason: "Unreachable", message: "connection reset" });
}

/** A model of list and watch of an API server, in memory, with a switch for every fault. */
export class ModelServer implements ListerWatcher {
  readonly calls: ModelCall[] = [];
  /** Thrown by the next requests, in turn. */
  readonly failures: unknown[] = [];
  /** Whether 410 comes as an event in the stream instead of a status. */
  expiresInStream = false;
  /** Every version counts as expired. */
  expire = false;
  /** `ignored`: as by a server that is too old to know sendInitialEvents. */
  initialEvents: "served" | "refused" | "ignored" = "served";
  /** Streams stay open without events. */
  stalled = false;
  #objects = new Map<string, KubeObject>();
  #history: { version: number; change: Change }[] = [];
  #version = 1;
  #kept = 0;
  #uid = 0;
  readonly #streams = new Set<Stream>();

  get state(): ReadonlyMap<string, KubeObject> {
    return this.#objects;
  }

  get watches(): number {
    return this.#streams.size;
  }

  put(name: string, value: unknown = this.#version): void {
    const before = this.#objects.get(name);
    const metadata = {
      name,
      uid: before?.metadata.uid ?? `uid-${++this.#uid}`,
      resourceVersion: String(++this.#version),
    };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, value };
    this.#objects.set(keyOf(object), object);
    this.#publish({ type: before ? "MODIFIED" : "ADDED", object });
  }

  remove(name: string): void {
    const before = this.#objects.get(name);
    if (!before) return;
    this.#objects.delete(name);
    const metadata = { ...before.metadata, resourceVersion: String(++this.#version) };
    this.#publish({ type: "DELETED", object: { ...before, metadata } });
  }

  /** Drops the history: older versions get 410. */
  compact(): void {
    this.#kept = this.#version;
    this.#history = [];
  }

  /** As if restored from an old backup. */
  rewind(): void {
    this.#objects = new Map();
    this.#history = [];
    this.#version = 1;
    this.#kept = 0;
  }

  bookmark(): void {
    for (const stream of this.#streams) stream.push(bookmarkAt(this.#version));
  }

  /** Ends all streams, with an error if one is given. */
  end(error?: unknown): void {
    for (const stream of this.#streams) stream.end(error);
  }

  /** Sends an event of type ERROR to every stream. */
  fail(error: ApiError): void {
    for (const stream of this.#streams) stream.push(errorEvent(error));
  }

  async list<T extends KubeObject>(_: KindRef<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    this.calls.push({ verb: "list", options });
    this.#mayFail();
    const items = [...this.#objects.values()] as T[];
    return { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: String(this.#version) }, items };
  }

  async *watch<T extends KubeObject>(
    _: KindRef<T>,
    options: WatchOptions & { onActivity?: () => void } = {},
  ): AsyncGenerator<WatchEvent<T>> {
    this.calls.push({ verb: "watch", options });
    this.#mayFail();
    const stream = new Stream(options.signal);
    if (options.sendInitialEvents) {
      if (this.initialEvents === "refused") throw refusal(422, "Invalid");
      for (const object of this.#objects.values()) stream.push({ type: "ADDED", object });
      if (this.initialEvents === "served")
        stream.push(bookmarkAt(this.#version, { "k8s.io/initial-events-end": "true" }));
    } else {
      const from = Number(options.resourceVersion);
      if (this.expire || from < this.#kept) {
        if (!this.expiresInStream) throw refusal(410, "Expired");
        stream.push(errorEvent(refusal(410, "Expired")));
      }
      for (const { version, change } of this.#history) if (version > from) stream.push(change);
    }
    this.#streams.add(stream);
    options.onActivity?.();
    try {
      for (;;) {
        const event = await stream.next(() => this.stalled);
        if (!event) return;
        yield event as WatchEvent<T>;
      }
    } finally {
      this.#streams.delete(stream);
      stream.close();
    }
  }

  #mayFail(): void {
    if (this.failures.length > 0) throw this.failures.shift();
  }

  #publish(change: Change): void {
    this.#history.push({ version: this.#version, change });
    for (const stream of this.#streams) stream.push(change);
  }
}

function bookmarkAt(version: number, annotations?: Record<string, string>): WatchEvent {
  const metadata = { resourceVersion: String(version), ...(annotations ? { annotations } : {}) };
  return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "ConfigMap", metadata } };
}

function errorEvent({ code, reason, message, details }: ApiError): WatchEvent {
  return { type: "ERROR", object: { kind: "Status", code, reason, message, details } };
}

/** The event queue of one watch. */
class Stream {
  readonly #events: WatchEvent[] = [];
  readonly #signal: AbortSignal | undefined;
  #ended: { error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.#wake();

  push(event: WatchEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  end(error: unknown): void {
    this.#ended ??= { error };
    this.#wake();
  }

  close(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  async next(isStalled: () => boolean): Promise<WatchEvent | undefined> {
    for (;;) {
      if (this.#signal?.aborted) return undefined;
      if (!isStalled()) {
        const event = this.#events.shift();
        if (event) return event;
        if (this.#ended?.error) throw this.#ended.error;
        if (this.#ended) return undefined;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
