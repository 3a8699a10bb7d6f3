import type { KubeObject } from "../../object/meta.ts";
import { apiVersion } from "../registry.ts";
import type { RequestContext } from "../request/context.ts";
import type { EventType, WatchSink } from "../request/watch.ts";
import type { StatusError } from "../status-error.ts";
import type { Change, Entry } from "../storage/store.ts";
import { partialMetadata } from "../table/partial-metadata.ts";
import { toTableEvent } from "../table/table.ts";
import { cutOff, type HttpResponse } from "./exchange.ts";
import type { Representation } from "./negotiate.ts";
import { includeObject } from "./respond.ts";

/** A watcher that has more changes than this waiting for it does not keep up. It is dropped, and lists or resumes. */
const maxWaitingBytes = 32 * 1024 * 1024;

/** How much is handed to the connection at a time. */
const chunkBytes = 256 * 1024;

/** Watch events as bytes, each made once however many watchers get it. */
export class EventFrames {
  readonly #frames = new WeakMap<Buffer, Partial<Record<EventType, Buffer>>>();

  frame(type: EventType, object: Buffer): Buffer {
    let frames = this.#frames.get(object);
    if (!frames) this.#frames.set(object, (frames = {}));
    return (frames[type] ??= Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, Buffer.from("}\n")]));
  }
}

/** What waits to be sent. Bytes are made when its turn comes: until then it is a reference to what is stored anyway. */
interface Waiting {
  /** What it counts against the watcher. The first events do not count: they are as many as there are objects. */
  readonly bytes: number;
  readonly frame: () => Buffer;
}

/** The events of one watch on their way to one client, as fast as it takes them. */
export function watchStream(
  response: HttpResponse,
  context: RequestContext,
  representation: Representation,
  frames: EventFrames,
): WatchSink {
  const { resource, services } = context;
  const closed = new AbortController();
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let blocked = false;
  let ending = false;
  let columnsSent = false;
  response.on("close", () => closed.abort());
  response.on("drain", () => {
    blocked = false;
    pump();
  });

  function pump(): void {
    while (!closed.signal.aborted && !blocked && waiting.length > 0) blocked = !response.write(nextChunk());
    if (ending && waiting.length === 0 && !closed.signal.aborted) {
      closed.abort();
      response.end();
    }
  }
  function nextChunk(): Buffer {
    const chunk: Buffer[] = [];
    let size = 0;
    let taken = 0;
    for (; taken < waiting.length && size < chunkBytes; taken++) {
      const { bytes, frame } = waiting[taken] as Waiting;
      const made = frame();
      chunk.push(made);
      size += made.length;
      waitingBytes -= bytes;
    }
    waiting = taken === waiting.length ? [] : waiting.slice(taken);
    return chunk.length === 1 ? (chunk[0] as Buffer) : Buffer.concat(chunk);
  }
  function shown(entry: Entry): object {
    const object = services.views.object(entry, resource);
    return representation.as === "Table" ? tableEvent(object, false) : partialMetadata(object);
  }
  /** kubectl wants the columns once, with the first event. */
  function tableEvent(object: KubeObject, isBookmark: boolean): object {
    const isFirst = !columnsSent;
    columnsSent = true;
    const shownAs = includeObject(context.query);
    return toTableEvent({ resource, object, includeObject: shownAs, now: services.clock.now(), isFirst, isBookmark });
  }
  function push(type: string, object: () => object, bytes = 0): void {
    waiting.push({ bytes, frame: () => Buffer.from(`${JSON.stringify({ type, object: object() })}\n`) });
  }
  function marked(bare: KubeObject): object {
    if (representation.as === "object") return bare;
    return representation.as === "Table" ? tableEvent(bare, true) : partialMetadata(bare);
  }

  return {
    closed: closed.signal,
    event(type: EventType, entry: Entry, change: Change | undefined) {
      const bytes = change ? entry.bytes.length : 0;
      waitingBytes += bytes;
      if (representation.as !== "object") push(type, () => shown(entry), bytes);
      else waiting.push({ bytes, frame: () => frames.frame(type, services.views.bytes(entry, resource)) });
    },
    bookmark(revision: number, initialEventsEnd: boolean) {
      const annotations = initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
      const metadata = { resourceVersion: String(revision), ...annotations };
      push("BOOKMARK", () => marked({ kind: resource.kind, apiVersion: apiVersion(resource), metadata }));
    },
    error(error: StatusError) {
      push("ERROR", () => error.toStatus());
    },
    flush() {
      if (closed.signal.aborted) return;
      if (!response.headersSent) {
        response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
        // A client that waits for its first event must see that the watch stands.
        if (waiting.length === 0 && "flushHeaders" in response) response.flushHeaders();
      }
      pump();
      if (waitingBytes <= maxWaitingBytes) return;
      closed.abort();
      cutOff(response);
    },
    end() {
      ending = true;
      this.flush();
    },
  };
}
