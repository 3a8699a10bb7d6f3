import { StatusError } from "../status-error.ts";
import { decodeObject, encodeObject } from "../storage/object-codec.ts";
import type { Change, Entry } from "../storage/store.ts";
import { collectionFor, type RequestContext } from "./context.ts";
import { listQuery } from "./options.ts";
import { selectionOf, type Selection } from "./select.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** Where a watch's events go. `closed` aborts when the client has gone, or was dropped because it does not keep up. */
export interface WatchSink {
  /** `change` is what happened; absent for an object that was there when the watch began. */
  event(type: EventType, entry: Entry, change: Change | undefined): void;
  bookmark(revision: number, initialEventsEnd: boolean): void;
  error(error: StatusError): void;
  /** Sends what the calls before have gathered, as far as the client takes it. */
  flush(): void;
  /** Ends the stream after what was gathered. */
  end(): void;
  readonly closed: AbortSignal;
}

/** How often a watcher that asked for bookmarks is told how far the server has come. */
const bookmarkEveryMs = 30_000;

/** Streams the changes of a selection until the client goes, its time is up, or it falls too far behind. */
export function watch(context: RequestContext, sink: WatchSink): void {
  const { store, views, clock } = context.services;
  const query = listQuery(context.query, true);
  const { resourceVersion } = query;
  if (Number.isNaN(resourceVersion)) {
    const text = JSON.stringify(context.query.get("resourceVersion"));
    throw new StatusError(
      500,
      "",
      `resourceVersion: Invalid value: ${text}: strconv.ParseUint: parsing ${text}: invalid syntax`,
    );
  }
  const selection = selectionOf({ ...context, views });
  const collection = collectionFor(context);
  let seen = store.revision;

  // Everything up to `seen` is sent before the first live change can arrive: this runs in one turn of the event loop.
  const fresh = query.sendInitialEvents || resourceVersion === undefined || resourceVersion === 0;
  if (fresh && !(context.query.has("sendInitialEvents") && !query.sendInitialEvents)) {
    for (const entry of store.list(collection, selection.prefix))
      if (selection.matches(entry)) sink.event("ADDED", entry, undefined);
    if (query.sendInitialEvents && query.bookmarks) sink.bookmark(seen, true);
  } else if (resourceVersion !== undefined && resourceVersion < seen && !fresh) {
    const missed = store.changesSince(collection, resourceVersion);
    if (!missed) {
      sink.error(new StatusError(410, "Expired", `too old resource version: ${resourceVersion} (${store.revision})`));
      sink.flush();
      return sink.end();
    }
    for (const change of missed) send(sink, selection, change);
  } else if (resourceVersion !== undefined && resourceVersion > seen) seen = resourceVersion;
  sink.flush();

  const stopWatching = store.watch(collection, (changes) => {
    for (const change of changes) if (change.revision > seen) send(sink, selection, change);
    seen = Math.max(seen, changes.at(-1)?.revision ?? seen);
    sink.flush();
  });
  let cancelBookmark = query.bookmarks ? clock.after(bookmarkEveryMs, bookmark) : () => {};
  const cancelTimeout = clock.after((query.timeoutSeconds || 1800 + Math.random() * 1800) * 1000, () => sink.end());
  sink.closed.addEventListener("abort", stop, { once: true });
  if (sink.closed.aborted) stop();

  function bookmark(): void {
    sink.bookmark(Math.max(seen, store.revision), false);
    sink.flush();
    cancelBookmark = clock.after(bookmarkEveryMs, bookmark);
  }
  function stop(): void {
    stopWatching();
    cancelBookmark();
    cancelTimeout();
  }
}

/** An object that starts to match is added, one that stops to is deleted, whatever really happened to it. */
function send(sink: WatchSink, selection: Selection, change: Change): void {
  if (selection.prefix !== "" && !change.key.startsWith(selection.prefix)) return;
  const { before, after, last } = change;
  if (selection.everything) {
    if (after) sink.event(before ? "MODIFIED" : "ADDED", after, change);
    else sink.event("DELETED", last as Entry, change);
    return;
  }
  const matched = before !== undefined && selection.matches(before);
  const matches = after !== undefined && selection.matches(after);
  if (matches && after) sink.event(matched ? "MODIFIED" : "ADDED", after, change);
  else if (matched) sink.event("DELETED", last ?? leaving(before, change.revision), change);
}

/** The last state that matched, at the version of the change that ended it. */
function leaving(before: Entry, revision: number): Entry {
  const object = decodeObject(before.bytes);
  object.metadata.resourceVersion = String(revision);
  return { ...before, revision, bytes: encodeObject(object) };
}
