import type { OutgoingHttpHeaders } from "node:http";
import type { Patch, WriteOptions } from "./client.ts";
import type { Impersonation } from "./connect/connection.ts";
import type { QueryValue } from "./request-path.ts";

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
      // The type's name says YAML, of which JSON is a part.
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
