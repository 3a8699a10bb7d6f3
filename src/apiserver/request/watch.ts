import { gone, internal, StatusError } from "../status-error.ts";
import { decodeObject, encodeObject } from "../storage/object-codec.ts";
import type { Change, Entry } from "../storage/store.ts";
import { collectionFor, type RequestContext } from "./context.ts";
import { tooNew } from "./list.ts";
import { listQuery, type ListQuery } from "./options.ts";
import { selectionOf, type Selection } from "./select.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** Where a watch's events go. */
export interface WatchSink {
  event(type: EventType, entry: Entry): void;
  bookmark(revision: number, initialEventsEnd: boolean): void;
  error(error: StatusError): void;
  /** Sends what the calls before have gathered, as far as the client takes it. */
  flush(): void;
  /** Ends the stream after what was gathered. */
  end(): void;
  /** Aborts when the client is gone, was dropped because it does not keep up, or the stream is ending. */
  readonly closed: AbortSignal;
}

/** How often a watcher that asked for bookmarks is told how far the server has come. */
const bookmarkEveryMs = 30_000;

/** Streams the changes of a selection until the client goes, its time is up, or it falls too far behind. */
export function watch(context: RequestContext, sink: WatchSink): void {
  const { store, views, clock } = context.services;
  const query = listQuery(context.query, true);
  if (Number.isNaN(query.resourceVersion)) throw notAVersion(context.query.get("resourceVersion"));
  const selection = selectionOf({ ...context, views });

  // Everything up to `seen` is sent before the first live change can arrive: this runs in one turn of the event loop.
  let seen = Math.max(store.revision, query.resourceVersion ?? 0);
  const refusal = begin(context, query, selection, sink);
  if (refusal) return fail(refusal);
  sink.flush();

  const stopWatching = store.watch(collectionFor(context), (changes) => {
    try {
      for (const change of changes) if (change.revision > seen) send(sink, selection, change);
      seen = Math.max(seen, changes.at(-1)?.revision ?? seen);
      sink.flush();
    } catch (error) {
      // A watch that cannot be told of a change must not go on as if there had been none.
      fail(internal(error instanceof Error ? error.message : String(error), { cause: error }));
    }
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
  function fail(error: StatusError): void {
    sink.error(error);
    sink.end();
  }
  function stop(): void {
    stopWatching();
    cancelBookmark();
    cancelTimeout();
  }
}

/** Sends what the watch starts with: the state of now, or what has happened since a version. Or says why it cannot. */
function begin(
  context: RequestContext,
  { resourceVersion = 0, sendInitialEvents, bookmarks }: ListQuery,
  selection: Selection,
  sink: WatchSink,
): StatusError | undefined {
  const { store } = context.services;
  const collection = collectionFor(context);
  if (sendInitialEvents ?? resourceVersion === 0) {
    if (resourceVersion > store.revision) return tooNew(resourceVersion, store.revision);
    for (const entry of store.list(collection, selection.prefix))
      if (selection.matches(entry)) sink.event("ADDED", entry);
    if (sendInitialEvents && bookmarks) sink.bookmark(store.revision, true);
  } else if (resourceVersion > 0) {
    const missed = store.changesSince(collection, resourceVersion);
    if (!missed) return gone(`too old resource version: ${resourceVersion} (${store.revision})`);
    for (const change of missed) send(sink, selection, change);
  }
  return undefined;
}

function notAVersion(given: string | null): StatusError {
  const text = JSON.stringify(given);
  const why = `strconv.ParseUint: parsing ${text}: invalid syntax`;
  return new StatusError(500, "", `resourceVersion: Invalid value: ${text}: ${why}`);
}

/** An object that starts to match is added, one that stops to is deleted, whatever really happened to it. */
function send(sink: WatchSink, selection: Selection, change: Change): void {
  if (selection.prefix !== "" && !change.key.startsWith(selection.prefix)) return;
  const { before, after, last } = change;
  if (selection.everything) {
    if (after) sink.event(before ? "MODIFIED" : "ADDED", after);
    else sink.event("DELETED", last as Entry);
    return;
  }
  const matched = before !== undefined && selection.matches(before);
  const matches = after !== undefined && selection.matches(after);
  if (matches && after) sink.event(matched ? "MODIFIED" : "ADDED", after);
  else if (matched) sink.event("DELETED", last ?? leaving(before, change.revision));
}

/** The last state that matched, at the version of the change that ended it. */
function leaving(before: Entry, revision: number): Entry {
  const object = decodeObject(before.bytes);
  object.metadata.resourceVersion = String(revision);
  return { ...before, revision, bytes: encodeObject(object) };
}
