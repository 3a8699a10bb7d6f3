import { at } from "../../../language/object/json.ts";
import type { KubeList, KubeObject } from "../../../language/object/meta.ts";
import { type Clock, pause, systemClock } from "../../runtime/clock.ts";
import { apiErrorFromStatus } from "../api-error.ts";
import { isOlder } from "../cache.ts";
import type { KindRef, ListOptions, WatchEvent, WatchOptions } from "../client.ts";
import { LinkedAbort } from "../linked-abort.ts";
import { JitteredBackoff } from "./jittered-backoff.ts";
import {
  type WatchFailure,
  classifyFailure,
  NoInitialEventsError,
  RewoundServerError,
  ShortWatchError,
  SilentWatchError,
} from "./watch-failure.ts";
import { Watchdog } from "./watchdog.ts";

/** The part of a client that a reflector needs. A client over the network calls `onActivity` for every chunk it reads. */
export interface ListerWatcher {
  list<T extends KubeObject>(of: KindRef<T>, options?: ListOptions): Promise<KubeList<T>>;
  watch<T extends KubeObject>(
    of: KindRef<T>,
    options?: WatchOptions & { onActivity?: () => void },
  ): AsyncIterable<WatchEvent<T>>;
}

/** Receives lists and events. The calls are synchronous, so that the order of events is the order of calls. */
export interface ReflectorSink<T extends KubeObject, E> {
  /** Reduces an object as it arrives, so that a large list is never held whole. */
  entry(object: T): E;
  keyOf(entry: E): string;
  /** The complete state: anything else was deleted. */
  replace(entries: ReadonlyMap<string, E>): void;
  apply(type: "ADDED" | "MODIFIED" | "DELETED", entry: E): void;
}

export interface ReflectorHooks {
  onList?(list: { kind: string; items: number; durationMs: number; streamed: boolean }): void;
  onWatch?(watch: { kind: string; resourceVersion: string | undefined }): void;
  onError?(error: unknown, context: { kind: string; failure: WatchFailure["kind"]; retryMs: number }): void;
}

export interface ReflectorOptions {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  pageSize?: number | undefined;
  /** Request the list as a stream of events (`sendInitialEvents`), and fall back to pages. Default true. */
  streamList?: boolean | undefined;
  /** Longest silence before a watch counts as dead. Default 150 s: kube-apiserver sends a bookmark every minute. */
  idleMs?: number | undefined;
  /** Longest silence while a list is being streamed. Default 10 s. */
  initialIdleMs?: number | undefined;
  backoff?: { baseMs?: number | undefined; maxMs?: number | undefined } | undefined;
  random?: (() => number) | undefined;
  clock?: Clock | undefined;
  hooks?: ReflectorHooks | undefined;
}

/** After so many broken watches in a row without an event, the cache may differ from the server: list again. */
const relistAfter = 3;
const shortestWatchMs = 1000;

/** One attempt to list and watch. */
interface Attempt {
  /** The list is requested as a stream of events. */
  readonly initial: boolean;
  /** It began after a random wait, so other clients did not begin at the same moment. */
  readonly waited: boolean;
  /** When the first bytes or event of the watch arrived. */
  answeredAt?: number | undefined;
}

/** Lists and watches, and repeats both when the connection or the server fails. */
export class Reflector<T extends KubeObject, E> {
  readonly #client: ListerWatcher;
  readonly #of: KindRef<T>;
  readonly #sink: ReflectorSink<T, E>;
  readonly #options: ReflectorOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: JitteredBackoff;
  readonly #idleMs: number;
  #streamList: boolean;
  /** The last version seen; undefined when a list is due. */
  #resourceVersion: string | undefined;
  #failuresWithoutEvent = 0;
  #failedStreamLists = 0;

  constructor(client: ListerWatcher, of: KindRef<T>, sink: ReflectorSink<T, E>, options: ReflectorOptions = {}) {
    this.#client = client;
    this.#of = of;
    this.#sink = sink;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#backoff = new JitteredBackoff({ ...options.backoff, random: this.#random });
    this.#idleMs = options.idleMs ?? 150_000;
    this.#streamList = options.streamList ?? true;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let waitedMs = 0; !signal.aborted;) {
      const initial = this.#resourceVersion === undefined && this.#streamList && this.#failedStreamLists < relistAfter;
      const attempt: Attempt = { initial, waited: waitedMs > 0 };
      waitedMs = 0;
      try {
        if (this.#resourceVersion === undefined && !initial) await this.#list(signal);
        if (!signal.aborted) await this.#watch(signal, attempt);
        this.#failuresWithoutEvent = 0;
        this.#backoff.reset();
      } catch (error) {
        if (signal.aborted) return;
        waitedMs = this.#recover(error, attempt);
        await pause(this.#clock, waitedMs, signal);
      }
    }
  }

  /** Decides what the next attempt starts from, and returns how long to wait before it. */
  #recover(error: unknown, { initial, waited, answeredAt }: Attempt): number {
    const incomplete = this.#resourceVersion === undefined;
    const failure = classifyFailure(error, { initial: initial && incomplete });
    if (failure.kind === "unsupported") this.#streamList = false;
    // Some servers cut off clients that are slow to read a large stream, but can serve pages. If pages fail too, the
    // stream was not the cause.
    else if (incomplete && failure.kind !== "throttled")
      this.#failedStreamLists = initial ? this.#failedStreamLists + 1 : 0;
    if (failure.kind !== "unreachable" && failure.kind !== "throttled") this.#failuresWithoutEvent++;
    if (failure.kind === "expired" || this.#failuresWithoutEvent >= relistAfter) this.#relist();
    const heldMs = answeredAt === undefined ? 0 : this.#clock.monotonic() - answeredAt;
    const retryMs = this.#wait(failure, waited, heldMs);
    this.#options.hooks?.onError?.(error, { kind: this.#of.kind, failure: failure.kind, retryMs });
    return retryMs;
  }

  #wait(failure: WatchFailure, waited: boolean, heldMs: number): number {
    if (failure.kind === "unsupported") return 0;
    // A restarted server is healthy but has no history. After one random wait the list may follow at once.
    if (failure.kind === "expired" && waited && heldMs < shortestWatchMs) return 0;
    this.#backoff.succeededFor(heldMs);
    const jitter = this.#backoff.next();
    return failure.kind === "throttled" ? Math.min(failure.afterMs, this.#backoff.maxMs) + jitter : jitter;
  }

  #relist(): void {
    this.#resourceVersion = undefined;
    this.#failuresWithoutEvent = 0;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { namespace, labelSelector, fieldSelector, pageSize } = this.#options;
    const started = this.#clock.monotonic();
    // No version: the most recent state. Version 0 is cheaper for the server, but may be older than the cache.
    const list = await this.#client.list(this.#of, { namespace, labelSelector, fieldSelector, pageSize, signal });
    const entries = new Map<string, E>();
    for (const item of list.items) this.#keep(entries, item);
    this.#replace(entries, { resourceVersion: list.metadata.resourceVersion ?? "", started, streamed: false });
  }

  async #watch(signal: AbortSignal, attempt: Attempt): Promise<void> {
    const { initial } = attempt;
    const { namespace, labelSelector, fieldSelector, initialIdleMs = 10_000 } = this.#options;
    const limitMs = initial ? initialIdleMs : this.#idleMs;
    const abort = new LinkedAbort(signal);
    let silent = false;
    const watchdog = new Watchdog(this.#clock, limitMs, () => {
      silent = true;
      abort.abort();
    });
    const alive = (): void => {
      attempt.answeredAt ??= this.#clock.monotonic();
      watchdog.feed();
    };
    const started = this.#clock.monotonic();
    let pending = initial ? new Map<string, E>() : undefined;
    let heard = false;
    this.#options.hooks?.onWatch?.({ kind: this.#of.kind, resourceVersion: this.#resourceVersion });
    try {
      const events = this.#client.watch(this.#of, {
        namespace,
        labelSelector,
        fieldSelector,
        resourceVersion: this.#resourceVersion,
        allowWatchBookmarks: true,
        sendInitialEvents: initial || undefined,
        // Random, so that watches opened together do not end together.
        timeoutSeconds: 300 + Math.floor(this.#random() * 300),
        signal: abort.signal,
        onActivity: alive,
      });
      for await (const event of events) {
        if (abort.signal.aborted) break;
        alive();
        if (pending) {
          if (!this.#gather(pending, event)) continue;
          this.#replace(pending, {
            resourceVersion: event.type === "ERROR" ? "" : (event.object.metadata.resourceVersion ?? ""),
            started,
            streamed: true,
          });
          pending = undefined;
          this.#failedStreamLists = 0;
          watchdog.relax(this.#idleMs);
        } else {
          this.#deliver(event);
          heard = true;
          this.#failuresWithoutEvent = 0;
          this.#backoff.reset();
        }
      }
    } finally {
      watchdog.stop();
      abort.unlink();
    }
    if (silent) throw new SilentWatchError(pending ? limitMs : this.#idleMs);
    if (signal.aborted) return;
    if (pending || (!heard && !initial && this.#clock.monotonic() - started < shortestWatchMs))
      throw new ShortWatchError();
  }

  /** Collects initial events; true when they are complete. */
  #gather(pending: Map<string, E>, event: WatchEvent<T>): boolean {
    if (event.type === "ERROR") throw apiErrorFromStatus(event.object);
    if (event.type === "BOOKMARK") {
      if (at(event.object, "metadata", "annotations", "k8s.io/initial-events-end") !== "true")
        throw new NoInitialEventsError();
      return true;
    }
    if (event.type === "DELETED") pending.delete(this.#sink.keyOf(this.#sink.entry(event.object)));
    else this.#keep(pending, event.object);
    return false;
  }

  #deliver(event: WatchEvent<T>): void {
    if (event.type === "ERROR") throw apiErrorFromStatus(event.object);
    const { resourceVersion = "" } = event.object.metadata;
    const seen = this.#resourceVersion ?? "";
    if (event.type === "BOOKMARK") {
      if (isOlder(resourceVersion, seen)) throw new RewoundServerError(seen, resourceVersion);
    } else this.#sink.apply(event.type, this.#sink.entry(event.object));
    if (resourceVersion !== "" && !isOlder(resourceVersion, seen)) this.#resourceVersion = resourceVersion;
  }

  #keep(entries: Map<string, E>, object: T): void {
    const entry = this.#sink.entry(object);
    entries.set(this.#sink.keyOf(entry), entry);
  }

  #replace(
    entries: ReadonlyMap<string, E>,
    { resourceVersion, started, streamed }: { resourceVersion: string; started: number; streamed: boolean },
  ): void {
    this.#sink.replace(entries);
    this.#resourceVersion = resourceVersion;
    this.#options.hooks?.onList?.({
      kind: this.#of.kind,
      items: entries.size,
      durationMs: this.#clock.monotonic() - started,
      streamed,
    });
  }
}
