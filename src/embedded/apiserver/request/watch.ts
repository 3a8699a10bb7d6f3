import { gone, internal, StatusError } from "../status-error.ts";
import { decodeObject, encodeObject } from "../storage/object-codec.ts";
import type { Change, Entry } from "../storage/store.ts";
import { collectionFor, type RequestContext } from "./context.ts";
import {
  ConvertedEvents,
  type PendingEvents,
  type EventType,
  type ObjectEvent,
  type WatchEvent,
} from "./converted-events.ts";
import { tooNew } from "./list.ts";
import { listQuery, type ListQuery } from "./options.ts";
import { selectionOf, type Selection } from "./select.ts";

export type { EventType };

/** Where a watch's events go. */
export interface WatchSink {
  event(type: EventType, entry: Entry): void;
  bookmark(revision: number, initialEventsEnd: boolean): void;
  error(error: StatusError): void;
  /** Converts the entries for sending; undefined if nothing needs conversion. */
  ready(entries: readonly Entry[]): Promise<unknown> | undefined;
  /** Sends the events so far, as fast as the client takes them. */
  flush(): void;
  /** Ends the stream after the events so far. */
  end(): void;
  /** Aborts when the client is gone, the server dropped it because it does not keep up, or the stream ends. */
  readonly closed: AbortSignal;
}

/** How often a watch with allowWatchBookmarks gets a bookmark. */
const bookmarkEveryMs = 30_000;

/** Streams the changes of a selection until the client goes, the timeout ends, or the client falls too far behind. */
export function watch(context: RequestContext, sink: WatchSink): void {
  const { resource } = context;
  const { store, views, clock } = context.services;
  const query = listQuery(context.query, true);
  if (Number.isNaN(query.resourceVersion)) throw notAVersion(context.query.get("resourceVersion"));
  const selection = selectionOf({ ...context, views });
  const converted = resource.versions?.webhook
    ? new ConvertedEvents({
        ready: (entries, to) =>
          to === "show" ? sink.ready(entries) : selection.reads ? views.ready(entries, resource) : undefined,
        send,
        fail,
      })
    : undefined;

  // This runs in one turn of the event loop: everything up to `seen` is sent before a live change can arrive.
  let seen = Math.max(store.revision, query.resourceVersion ?? 0);
  const beginning = begin(context, query, selection);
  if (beginning.type === "refused") return fail(beginning.why);
  pass(beginning);

  const stopWatching = store.watch(collectionFor(context), (changes) => {
    try {
      const from = seen;
      seen = Math.max(seen, changes.at(-1)?.revision ?? seen);
      if (converted)
        return converted.add(
          pendingEvents(
            selection,
            changes.filter(({ revision }) => revision > from),
          ),
        );
      for (const change of changes) {
        const event = change.revision > from ? eventOf(selection, change) : undefined;
        if (event) sink.event(event.type, event.entry);
      }
      sink.flush();
    } catch (error) {
      // A watch that misses a change must end.
      fail(internal(error instanceof Error ? error.message : String(error), { cause: error }));
    }
  });
  let cancelBookmark = query.bookmarks ? clock.after(bookmarkEveryMs, bookmark) : () => {};
  const cancelTimeout = clock.after((query.timeoutSeconds || 1800 + Math.random() * 1800) * 1000, () => sink.end());
  sink.closed.addEventListener("abort", stop, { once: true });
  if (sink.closed.aborted) stop();

  function pass(next: PendingEvents): void {
    if (converted) converted.add(next);
    else send(next.events());
  }
  function send(events: readonly WatchEvent[]): void {
    for (const event of events)
      if (event.type === "BOOKMARK") sink.bookmark(event.revision, event.initialEventsEnd);
      else sink.event(event.type, event.entry);
    sink.flush();
  }
  function bookmark(): void {
    const revision = Math.max(seen, store.revision);
    pass({ entries: () => [], events: () => [{ type: "BOOKMARK", revision, initialEventsEnd: false }] });
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
    converted?.close();
  }
}

type Beginning = ({ readonly type: "begun" } & PendingEvents) | { readonly type: "refused"; readonly why: StatusError };

/** The first events: the current state, or the changes since a version. Or the refusal. */
function begin(
  context: RequestContext,
  { resourceVersion = 0, sendInitialEvents, bookmarks }: ListQuery,
  selection: Selection,
): Beginning {
  const { store } = context.services;
  const { revision } = store;
  const collection = collectionFor(context);
  if (sendInitialEvents ?? resourceVersion === 0) {
    if (resourceVersion > revision) return { type: "refused", why: tooNew(resourceVersion, revision) };
    const entries = [...store.list(collection, selection.prefix)];
    const events = (): WatchEvent[] => {
      const found: WatchEvent[] = [];
      for (const entry of entries) if (selection.matches(entry)) found.push({ type: "ADDED", entry });
      if (sendInitialEvents && bookmarks) found.push({ type: "BOOKMARK", revision, initialEventsEnd: true });
      return found;
    };
    return { type: "begun", entries: () => entries, events };
  }
  if (resourceVersion === 0) return { type: "begun", ...pendingEvents(selection, []) };
  const missed = store.changesSince(collection, resourceVersion);
  if (!missed) return { type: "refused", why: gone(`too old resource version: ${resourceVersion} (${revision})`) };
  return { type: "begun", ...pendingEvents(selection, missed) };
}

function pendingEvents(selection: Selection, changes: readonly Change[]): PendingEvents {
  return {
    entries: () => changes.flatMap(({ before, after }) => [before, after].filter((entry) => entry !== undefined)),
    events: () => {
      const events: WatchEvent[] = [];
      for (const change of changes) {
        const event = eventOf(selection, change);
        if (event) events.push(event);
      }
      return events;
    },
  };
}

function notAVersion(given: string | null): StatusError {
  const text = JSON.stringify(given);
  const why = `strconv.ParseUint: parsing ${text}: invalid syntax`;
  return new StatusError(500, "", `resourceVersion: Invalid value: ${text}: ${why}`);
}

/** As Kubernetes: an object that starts to match is ADDED, one that stops to match is DELETED. */
function eventOf(selection: Selection, change: Change): ObjectEvent | undefined {
  if (selection.prefix !== "" && !change.key.startsWith(selection.prefix)) return undefined;
  const { before, after, last } = change;
  if (selection.everything) {
    if (after) return { type: before ? "MODIFIED" : "ADDED", entry: after };
    return { type: "DELETED", entry: last as Entry };
  }
  const matched = before !== undefined && selection.matches(before);
  const matches = after !== undefined && selection.matches(after);
  if (matches && after) return { type: matched ? "MODIFIED" : "ADDED", entry: after };
  return matched ? { type: "DELETED", entry: last ?? leaving(before, change.revision) } : undefined;
}

/** The last state that matched, with the revision of the change that ended the match. */
function leaving(before: Entry, revision: number): Entry {
  const object = decodeObject(before.bytes);
  object.metadata.resourceVersion = String(revision);
  return { ...before, revision, bytes: encodeObject(object) };
}
