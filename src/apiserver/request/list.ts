import { badRequest, gone, StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { collectionFor, type Answer, type RequestContext } from "./context.ts";
import { listQuery } from "./options.ts";
import { selectionOf, type Selection } from "./select.ts";

export function list(context: RequestContext): Answer {
  const { store, views } = context.services;
  const { limit, match, resourceVersion, continue: token } = listQuery(context.query, false);
  const selection = selectionOf({ ...context, views });
  if (Number.isNaN(resourceVersion))
    throw badRequest(
      `Invalid value: ${JSON.stringify(context.query.get("resourceVersion"))}: resourceVersion must be a number`,
    );
  if (resourceVersion !== undefined && resourceVersion > store.revision) throw tooNew(resourceVersion, store.revision);

  const position = token === "" ? undefined : parseToken(token);
  if (position && position.revision > store.revision) throw tooNew(position.revision, store.revision);
  const revision = position?.revision ?? ((match === "Exact" && resourceVersion) || store.revision);
  const { entries, more } = page(context, selection, revision, position?.after ?? "", limit);
  const last = entries.at(-1);
  return {
    type: "list",
    entries,
    revision,
    ...(more && last ? { continue: makeToken(revision, last.key) } : {}),
    ...(more && selection.everything && selection.prefix === "" && !position
      ? { remaining: store.count(collectionFor(context)) - entries.length }
      : {}),
  };
}

function page(
  context: RequestContext,
  selection: Selection,
  revision: number,
  after: string,
  limit: number,
): { entries: Entry[]; more: boolean } {
  const { store } = context.services;
  const collection = collectionFor(context);
  if (selection.name !== undefined && selection.prefix !== "" && revision === store.revision) {
    const entry = store.get(collection, `${selection.prefix}${selection.name}`);
    return { entries: entry && entry.key > after && selection.matches(entry) ? [entry] : [], more: false };
  }
  const snapshot = store.listAt(revision, collection, selection.prefix, after);
  if (snapshot.type === "expired")
    throw gone(
      after === ""
        ? `The resourceVersion for the provided list is too old.`
        : `The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.`,
    );
  const entries: Entry[] = [];
  for (const entry of snapshot.entries) {
    if (!selection.everything && !selection.matches(entry)) continue;
    if (limit > 0 && entries.length === limit) return { entries, more: true };
    entries.push(entry);
  }
  return { entries, more: false };
}

/** The version asked for has not been reached; a client that waits a second may find it. */
export function tooNew(asked: number, current: number): StatusError {
  return new StatusError(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

function makeToken(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${after}\0` })).toString("base64url");
}

function parseToken(token: string): { revision: number; after: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${(error as Error).message}`);
  }
  const { v, rv, start } = (parsed ?? {}) as { v?: unknown; rv?: unknown; start?: unknown };
  const isVersion = typeof rv === "number" && Number.isSafeInteger(rv) && rv > 0;
  if (v !== "meta.k8s.io/v1" || !isVersion || typeof start !== "string" || start.includes(".."))
    throw badRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  return { revision: rv, after: start.replace(/\0$/, "") };
}
