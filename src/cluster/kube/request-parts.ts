import type { OutgoingHttpHeaders } from "node:http";
import type { Patch, WriteOptions, KindRef } from "./client.ts";
import type { Impersonation } from "./connect/connection.ts";

export type QueryValue = string | number | boolean | undefined;

export interface PathParts {
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
  query?: Record<string, QueryValue> | undefined;
}

/** `/apis/apps/v1/namespaces/a/daemonsets/b/status?dryRun=All`. All input is escaped. */
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

/** encodeURIComponent does not escape dots, and `..` would address another object. */
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

export function writeQuery({ fieldManager, dryRun, fieldValidation }: WriteOptions): Record<string, QueryValue> {
  return { fieldManager, fieldValidation, dryRun: dryRun ? "All" : undefined };
}

export function patchBody(patch: Patch): { contentType: string; body: unknown; query: Record<string, QueryValue> } {
  switch (patch.type) {
    case "json":
      return { contentType: "application/json-patch+json", body: patch.operations, query: {} };
    case "merge":
      return { contentType: "application/merge-patch+json", body: patch.patch, query: {} };
    case "strategic":
      return { contentType: "application/strategic-merge-patch+json", body: patch.patch, query: {} };
    default:
      // The media type says YAML; JSON is a subset of YAML.
      return { contentType: "application/apply-patch+yaml", body: patch.object, query: { force: patch.force } };
  }
}

export function identityHeaders(as: Impersonation | undefined): OutgoingHttpHeaders {
  if (!as) return {};
  const headers: OutgoingHttpHeaders = { "impersonate-user": as.user };
  if (as.groups && as.groups.length > 0) headers["impersonate-group"] = [...as.groups];
  if (as.uid !== undefined) headers["impersonate-uid"] = as.uid;
  for (const [key, values] of Object.entries(as.extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = [...values];
  return headers;
}
