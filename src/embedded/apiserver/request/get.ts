import { notFound, StatusError } from "../status-error.ts";
import type { Entry } from "../storage/store.ts";
import { collectionFor, keyFor, type Answer, type RequestContext } from "./context.ts";
import { tooNew } from "./list.ts";

export function get(context: RequestContext): Answer {
  const version = context.query.get("resourceVersion") ?? "";
  if (version !== "" && !/^[0-9]{1,20}$/.test(version))
    throw new StatusError(500, "", `resourceVersion: Invalid value: ${JSON.stringify(version)}: must be a number`);
  if (Number(version) > context.services.store.revision) throw tooNew(Number(version), context.services.store.revision);
  return { type: "entry", code: 200, entry: existing(context) };
}

/** The committed object that the request names. */
export function existing(context: RequestContext): Entry {
  const entry = context.services.store.get(collectionFor(context), keyFor(context, context.name));
  if (!entry) throw notFound(context.resource.group, context.resource.plural, context.name);
  return entry;
}

/** Its newest version, committed or not: what a write must be based on. */
export function newest(context: RequestContext): Entry | undefined {
  return context.services.store.head(collectionFor(context), keyFor(context, context.name));
}
