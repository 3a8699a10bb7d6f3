import type { EventType, WatchSink } from "../request/watch.ts";
import { watch } from "../request/watch.ts";
import type { StatusError } from "../status-error.ts";
import { decodeObject } from "../storage/object-codec.ts";
import type { Entry } from "../storage/store.ts";
import type { SmallServer, Target } from "./small-server.ts";

/** A watch that records events as short texts: `ADDED a/x@3`, `BOOKMARK 7`, `ERROR 410 …`. */
export class RecordedWatch implements WatchSink {
  readonly #closed = new AbortController();
  #frames: string[] = [];
  #ready: WatchSink["ready"] = () => undefined;
  ended = false;

  static start(server: SmallServer, name: string, target: Target = {}): RecordedWatch {
    const sink = new RecordedWatch();
    sink.start(server, name, target);
    return sink;
  }

  start(server: SmallServer, name: string, target: Target = {}): void {
    const { views } = server.services;
    const resource = server.resource(name);
    this.#ready = (entries) => views.ready(entries, resource);
    watch(server.context(name, target), this);
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** The events since the last call. */
  take(): string[] {
    return this.#frames.splice(0);
  }

  /** Closes the client's connection. */
  hangUp(): void {
    this.#closed.abort();
  }

  event(type: EventType, entry: Entry): void {
    const { resourceVersion } = decodeObject(entry.bytes).metadata;
    this.#frames.push(`${type} ${entry.key}@${resourceVersion}`);
  }

  bookmark(revision: number, initialEventsEnd: boolean): void {
    this.#frames.push(`BOOKMARK ${revision}${initialEventsEnd ? " initial events end" : ""}`);
  }

  ready(entries: readonly Entry[]): Promise<unknown> | undefined {
    return this.#ready(entries);
  }

  error({ code, reason, message }: StatusError): void {
    this.#frames.push(`ERROR ${code} ${reason}: ${message}`);
  }

  flush(): void {}

  end(): void {
    this.ended = true;
    this.#closed.abort();
  }
}
