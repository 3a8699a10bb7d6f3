import type { KubeObject } from "../../object/meta.ts";
import { apiVersion } from "../registry.ts";
import type { RequestContext } from "../request/context.ts";
import type { EventType, WatchSink } from "../request/watch.ts";
import type { StatusError } from "../status-error.ts";
import type { Change, Entry } from "../storage/store.ts";
import { partialMetadata } from "../table/partial-metadata.ts";
import { toTableEvent } from "../table/table.ts";
import { backlog, cutOff, type HttpResponse } from "./exchange.ts";
import type { Representation } from "./negotiate.ts";
import { includeObject } from "./respond.ts";

/** A watcher with more than this on its way to it does not keep up. It is dropped, and lists or resumes. */
const maxBacklogBytes = 32 * 1024 * 1024;

/** Watch events as bytes, each made once however many watchers get it. */
export class EventFrames {
  readonly #frames = new WeakMap<Buffer, Partial<Record<EventType, Buffer>>>();

  frame(type: EventType, object: Buffer): Buffer {
    let frames = this.#frames.get(object);
    if (!frames) this.#frames.set(object, (frames = {}));
    return (frames[type] ??= Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, Buffer.from("}\n")]));
  }
}

export function watchStream(
  response: HttpResponse,
  context: RequestContext,
  representation: Representation,
  frames: EventFrames,
): WatchSink & { readonly started: boolean } {
  const { resource, services } = context;
  const closed = new AbortController();
  let waiting: Buffer[] = [];
  let started = false;
  let columnsSent = false;
  response.on("close", () => closed.abort());

  function start(): void {
    if (started) return;
    started = true;
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
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
  const push = (type: string, object: object): void => {
    waiting.push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
  };

  return {
    closed: closed.signal,
    get started() {
      return started;
    },
    event(type: EventType, entry: Entry, _change: Change | undefined) {
      if (representation.as === "object") waiting.push(frames.frame(type, services.views.bytes(entry, resource)));
      else push(type, shown(entry));
    },
    bookmark(revision: number, initialEventsEnd: boolean) {
      const metadata = {
        resourceVersion: String(revision),
        ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
      };
      const bare = { kind: resource.kind, apiVersion: apiVersion(resource), metadata };
      push(
        "BOOKMARK",
        representation.as === "Table"
          ? tableEvent(bare, true)
          : representation.as === "object"
            ? bare
            : partialMetadata(bare),
      );
    },
    error(error: StatusError) {
      push("ERROR", error.toStatus());
    },
    flush() {
      if (closed.signal.aborted) return;
      start();
      if (waiting.length > 0) response.write(waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting));
      // A client that waits for its first event must see that the watch stands.
      else if ("flushHeaders" in response) response.flushHeaders();
      waiting = [];
      if (backlog(response) > maxBacklogBytes) {
        closed.abort();
        cutOff(response);
      }
    },
    end() {
      if (closed.signal.aborted) return;
      closed.abort();
      start();
      response.end();
    },
  };
}
