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

  const position = token === "" ? undefined : parseToken(token, store.revision);
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
    ...(more && last ? { continue: makeToken(revision, last.key) } : {}),
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
    throw gone(
      after === ""
        ? `The resourceVersion for the provided list is too old.`
        : `The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.`,
    );
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

function makeToken(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${after}\0` })).toString("base64url");
}

function parseToken(token: string, current: number): { revision: number; after: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${(error as Error).message}`);
  }
  const { v, rv, start } = (parsed ?? {}) as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== "meta.k8s.io/v1" || !isRevision(rv) || typeof start !== "string" || start.includes(".."))
    throw badRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  if (rv > current) throw tooNew(rv, current);
  // A negative version means the newest: the rest of the list is not consistent with its first pages.
  return { revision: rv < 0 ? current : rv, after: start.replace(/\0$/, "") };
}

function isRevision(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value !== 0;
}
