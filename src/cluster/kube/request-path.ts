import type { KindRef } from "./client.ts";

export type QueryValue = string | number | boolean | undefined;

export interface PathParts {
  namespace?: string;
  name?: string;
  subresource?: string;
  query?: Record<string, QueryValue>;
}

/** `/apis/apps/v1/namespaces/a/daemonsets/b/status?dryRun=All`. Every part that comes from outside is escaped. */
export function requestPath(of: KindRef, { namespace, name, subresource, query }: PathParts = {}): string {
  let path = of.apiVersion.includes("/") ? `/apis/${of.apiVersion}` : `/api/${of.apiVersion}`;
  if (of.namespaced && namespace) path += `/namespaces/${segment(namespace)}`;
  path += `/${of.plural}`;
  if (name !== undefined) {
    if (of.namespaced && !namespace) throw new TypeError(`address ${of.kind} "${name}": a namespace is needed`);
    path += `/${segment(name)}`;
  }
  if (subresource) path += `/${subresource.split("/").map(segment).join("/")}`;
  return path + queryString(query);
}

/** Escaping leaves dots alone, and `..` would address something else. */
function segment(text: string): string {
  if (text === "" || text === "." || text === "..")
    throw new TypeError(`address an object: ${JSON.stringify(text)} is not a name`);
  return encodeURIComponent(text);
}

function queryString(query: Record<string, QueryValue> = {}): string {
  let text = "";
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === "" || value === false) continue;
    text += `${text === "" ? "?" : "&"}${key}=${encodeURIComponent(value)}`;
  }
  return text;
}
