import { badRequest, gone, StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { collectionFor, type Answer, type RequestContext } from "./context.ts";
import { listQuery } from "./options.ts";
import { selectionOf, type Selection } from "./select.ts";

/** Returns a promise only if a webhook must convert the objects that the selectors match. */
export function list(context: RequestContext): Answer | Promise<Answer> {
  const { store, views } = context.services;
  const { limit, match, resourceVersion, continue: token } = listQuery(context.query, false);
  const selection = selectionOf({ ...context, views });
  if (Number.isNaN(resourceVersion))
    throw badRequest(
      `Invalid value: ${JSON.stringify(context.query.get("resourceVersion"))}: resourceVersion must be a number`,
    );
  if (resourceVersion !== undefined && resourceVersion > store.revision) throw tooNew(resourceVersion, store.revision);

  if (token !== "" && resourceVersion)
    throw badRequest("specifying resource version is not allowed when using continue");

  const now = context.services.clock.now();
  const position = token === "" ? undefined : parseToken(token, store.revision);
  const began = position?.began ?? now;
  if (position && position.revision < store.revision && now - began > longestListMs) throw expired(position.after);
  // With a limit, resourceVersion is exact by default; without one, a newer state is as good.
  const isExact = match === "Exact" || (match === "" && limit > 0);
  const revision = position?.revision ?? ((isExact && resourceVersion) || store.revision);
  // Version 0 means any state, and like kube-apiserver's cache it ignores the limit.
  const size = resourceVersion === 0 ? 0 : limit;
  const found = page(context, { selection, revision, after: position?.after ?? "", limit: size });
  if (found instanceof Promise) return found.then(() => list(context));
  const { entries, more, remaining } = found;
  const last = entries.at(-1);
  return {
    type: "list",
    entries,
    revision,
    ...(more && last ? { continue: makeToken(revision, last.key, began) } : {}),
    ...(remaining === undefined ? {} : { remaining }),
  };
}

interface Page {
  readonly entries: Entry[];
  /** Whether more entries follow. */
  readonly more: boolean;
  /** How many, where that is known without matching objects. */
  readonly remaining?: number;
}

interface PageRequest {
  readonly selection: Selection;
  readonly revision: number;
  readonly after: string;
  readonly limit: number;
}

/** The page, or the conversion that must finish first. */
function page(context: RequestContext, { selection, revision, after, limit }: PageRequest): Page | Promise<unknown> {
  const { store, views } = context.services;
  const collection = collectionFor(context);
  if (selection.name !== undefined && selection.prefix !== "" && revision === store.revision) {
    const entry = store.get(collection, `${selection.prefix}${selection.name}`);
    const converting = entry && selection.reads ? views.ready([entry], context.resource) : undefined;
    if (converting) return converting;
    return { entries: entry && entry.key > after && selection.matches(entry) ? [entry] : [], more: false };
  }
  const snapshot = store.listAt(revision, collection, selection.prefix, after);
  if (snapshot.type === "expired")
    throw after === "" ? gone("The resourceVersion for the provided list is too old.") : expired(after);
  const candidates = selection.reads ? [...snapshot.entries] : snapshot.entries;
  const converting = selection.reads ? views.ready(candidates, context.resource) : undefined;
  if (converting) return converting;
  const entries: Entry[] = [];
  let remaining = 0;
  for (const entry of candidates) {
    const isFull = limit > 0 && entries.length === limit;
    // Entries after a full page are not matched.
    if (isFull && !selection.everything) return { entries, more: true };
    if (isFull) remaining++;
    else if (selection.everything || selection.matches(entry)) entries.push(entry);
  }
  return remaining > 0 ? { entries, more: true, remaining } : { entries, more: false };
}

/** The requested version has not been reached; the client may retry after a second. */
export function tooNew(asked: number, current: number): StatusError {
  return new StatusError(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** As with kube-apiserver, whose storage forgets old versions after five to ten minutes. */
const longestListMs = 5 * 60_000;

/** The rest of a list can still be had, at the newest version. */
function expired(after: string): StatusError {
  const error = gone(
    "The provided continue parameter is too old to display a consistent list result. Start a new list without it, or go on with the continue token of this response: its pages are of the newest version, which may not match the earlier ones.",
  );
  error.continueToken = makeToken(-1, after);
  return error;
}

/** `began`: when the first page was sent. */
function makeToken(revision: number, after: string, began?: number): string {
  const token = { v: "meta.k8s.io/v1", rv: revision, start: `${after}\0`, began };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

interface ListPosition {
  readonly revision: number;
  readonly after: string;
  readonly began?: number;
}

function parseToken(token: string, current: number): ListPosition {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${(error as Error).message}`);
  }
  const { v, rv, start, began } = (parsed ?? {}) as Record<string, unknown>;
  if (v !== "meta.k8s.io/v1" || !isRevision(rv) || typeof start !== "string" || start.includes(".."))
    throw badRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  if (rv > current) throw tooNew(rv, current);
  // A negative version means the newest: the rest of the list is not consistent with its first pages.
  const position = { revision: rv < 0 ? current : rv, after: start.replace(/\0$/, "") };
  return typeof began === "number" ? { ...position, began } : position;
}

function isRevision(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value !== 0;
}
