import type { Step } from "../probe.ts";

/** Builders of requests. */
export const patches = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const reduced = (kind: string): string => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
export const table = reduced("Table");
export const metadataOnly = reduced("PartialObjectMetadata");
export const metadataList = reduced("PartialObjectMetadataList");

export const get = (path: string, more: Partial<Step> = {}): Step => ({ send: `GET ${path}`, ...more });
export const post = (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
  send: `POST ${path}`,
  body,
  ...more,
});
export const put = (path: string, body: unknown, more: Partial<Step> = {}): Step => ({
  send: `PUT ${path}`,
  body,
  ...more,
});
export const remove = (path: string, body?: unknown): Step => ({
  send: `DELETE ${path}`,
  ...(body === undefined ? {} : { body }),
});
export const patch = (type: keyof typeof patches, path: string, body: unknown): Step => ({
  send: `PATCH ${path}`,
  type: patches[type],
  body,
});
export const merge = (path: string, body: unknown): Step => patch("merge", path, body);
export const apply = (path: string, manager: string, body: unknown, force = false): Step =>
  patch("apply", `${path}?fieldManager=${manager}${force ? "&force=true" : ""}`, body);

export const namespace = (name: string): Step =>
  post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
