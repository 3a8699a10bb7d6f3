import { parse } from "yaml";
import type { Reply } from "./probe.ts";

/** The responses of one server to one probe, without what differs between servers: ids, times, versions, free text. */
export function comparable(replies: readonly Reply[]): unknown[] {
  const uids = new Map<string, string>();
  const versions = versionsIn(replies);
  return replies.map(({ status, headers, text }) => ({
    status,
    headers,
    body: bodiesOf(headers["content-type"] ?? "", text).map((body) => general(body, { uids, versions })),
  }));
}

interface Seen {
  readonly uids: Map<string, string>;
  /** Versions of objects, in ascending order. */
  readonly versions: readonly string[];
}

/** One object, or each event of a stream. */
function bodiesOf(contentType: string, text: string): unknown[] {
  if (contentType.startsWith("application/yaml")) return [parse(text)];
  if (!contentType.startsWith("application/json")) return [text];
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => withoutServerVersion(JSON.parse(line) as StreamEvent));
  }
}

interface StreamEvent {
  readonly type?: string;
  readonly object?: { readonly metadata?: object };
}

/** A bookmark has the version of the whole server, which the leases of the real server change between two requests. */
function withoutServerVersion(event: StreamEvent): StreamEvent {
  if (event.type !== "BOOKMARK" || !event.object) return event;
  const metadata = { ...event.object.metadata, resourceVersion: "of the server" };
  return { ...event, object: { ...event.object, metadata } };
}

function versionsIn(replies: readonly Reply[]): string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { metadata, kind } = value as { metadata?: { resourceVersion?: unknown }; kind?: unknown };
    if (typeof metadata?.resourceVersion === "string" && /^\d+$/.test(metadata.resourceVersion) && !isMany(kind))
      found.add(metadata.resourceVersion);
    Object.values(value).forEach(collect);
  };
  for (const { headers, text } of replies) bodiesOf(headers["content-type"] ?? "", text).forEach(collect);
  return [...found].toSorted((a, b) => Number(a) - Number(b));
}

function isMany(kind: unknown): boolean {
  return typeof kind === "string" && (kind.endsWith("List") || kind === "Table");
}

function general(value: unknown, seen: Seen, key = "", within: Record<string, unknown> = {}): unknown {
  if (typeof value === "string") return generalText(value, seen, key, within);
  if (Array.isArray(value)) return value.map((item) => general(item, seen, key, within));
  if (typeof value === "number" && isAllocated(value, key)) return "<port>";
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !isFree(name, fields))
      .map(([name, field]) => [
        name,
        name === "causes" && Array.isArray(field)
          ? sortedAndUnique(field.map((cause) => general(cause, seen)))
          : name === "managedFields" && Array.isArray(field)
            ? byManager(field.map((entry) => general(entry, seen)))
            : name === "metadata" && isMany(fields.kind)
              ? general(field, seen, name, { many: true })
              : general(
                  field,
                  seen,
                  name,
                  fields === field ? {} : { ...(key === "metadata" ? within : {}), ...fields },
                ),
      ]),
  );
}

/** The real server reports a fault found by two checks twice, and conflicts in the random order of a Go map. */
function sortedAndUnique(causes: unknown[]): unknown[] {
  const texts = new Set(causes.map((cause) => JSON.stringify(cause)));
  return [...texts].toSorted().map((text) => JSON.parse(text) as unknown);
}

/** Owners are sorted by time first, and the seconds of two servers do not start together. */
function byManager(entries: unknown[]): unknown[] {
  const key = (entry: unknown): string => {
    const { manager, operation, apiVersion, subresource } = entry as Record<string, unknown>;
    return [manager, operation, apiVersion, subresource].join(" ");
  };
  return entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Messages of a Status and of its causes, and descriptions of columns, may differ. */
function isFree(name: string, fields: Record<string, unknown>): boolean {
  if (name === "message") return fields.kind === "Status" || "field" in fields || Object.keys(fields).length <= 2;
  return name === "description" && "priority" in fields;
}

/** Node ports are allocated at random. */
function isAllocated(value: number, key: string): boolean {
  return (key === "nodePort" || key === "healthCheckNodePort") && value >= 30000;
}

function generalText(value: string, { uids, versions }: Seen, key: string, within: Record<string, unknown>): string {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value)) {
    if (!uids.has(value)) uids.set(value, `<uid ${uids.size + 1}>`);
    return uids.get(value) as string;
  }
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return "<time>";
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value)) return "<microtime>";
  if (key === "resourceVersion" && /^\d+$/.test(value))
    return within.many || !versions.includes(value) ? "<version>" : `<version ${versions.indexOf(value) + 1}>`;
  if (/^10\.96\.\d+\.\d+$/.test(value)) return "<address>";
  if (key === "cells")
    value = value.replace(/=[0-9a-f]{8}-[0-9a-f-]{27}$/, "=<uid>").replaceAll(/:3\d{4}\//g, ":<port>/");
  if (key === "continue" && value !== "") return "<continue>";
  if (key === "token") return "<token>";
  if (key === "manager" && value.endsWith("-apiserver")) return "<server>";
  if (key === "cells" && /^(\d+[smhd])+$/.test(value)) return "<age>";
  return value.replace(/\bgen-[bcdfghjklmnpqrstvwxz2456789]{5}\b/, "gen-<5>");
}
