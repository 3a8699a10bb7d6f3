import { describe, expect, it } from "vitest";
import { isTrue } from "../request/options.ts";
import { narrowedBySelector, parseRequest } from "./request-info.ts";

const parse = (method: string, url: string) => {
  const [path = "", query = ""] = url.split("?");
  return parseRequest(method, path, new URLSearchParams(query));
};
const nothing = { type: "resource", group: "", version: "v1", resource: "", subresource: "", namespace: "", name: "" };

const resources: [string, string, Record<string, string>][] = [
  ["GET", "/api/v1/pods", { verb: "list", resource: "pods" }],
  ["GET", "/api/v1/namespaces/a/pods", { verb: "list", resource: "pods", namespace: "a" }],
  ["GET", "/api/v1/namespaces/a/pods?watch=1", { verb: "watch", resource: "pods", namespace: "a" }],
  ["GET", "/api/v1/namespaces/a/pods/p?watch=1", { verb: "get", resource: "pods", namespace: "a", name: "p" }],
  ["GET", "/api/v1/namespaces/a/pods?watch=false", { verb: "list", resource: "pods", namespace: "a" }],
  ["GET", "/api/v1/namespaces/a/pods/p", { verb: "get", resource: "pods", namespace: "a", name: "p" }],
  ["GET", "/api/v1/namespaces/a/pods/p/", { verb: "get", resource: "pods", namespace: "a", name: "p" }],
  [
    "PUT",
    "/api/v1/namespaces/a/pods/p/status",
    { verb: "update", resource: "pods", namespace: "a", name: "p", subresource: "status" },
  ],
  ["GET", "/api/v1/namespaces/a", { verb: "get", resource: "namespaces", namespace: "a", name: "a" }],
  [
    "PUT",
    "/api/v1/namespaces/a/finalize",
    { verb: "update", resource: "namespaces", namespace: "a", name: "a", subresource: "finalize" },
  ],
  ["GET", "/api/v1/namespaces", { verb: "list", resource: "namespaces" }],
  [
    "POST",
    "/apis/apps/v1/namespaces/a/daemonsets",
    { verb: "create", group: "apps", resource: "daemonsets", namespace: "a" },
  ],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/a/daemonsets",
    { verb: "deletecollection", group: "apps", resource: "daemonsets", namespace: "a" },
  ],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/a/daemonsets/d",
    { verb: "delete", group: "apps", resource: "daemonsets", namespace: "a", name: "d" },
  ],
  [
    "PATCH",
    "/apis/node.k8s.io/v1/runtimeclasses/hp",
    { verb: "patch", group: "node.k8s.io", resource: "runtimeclasses", name: "hp" },
  ],
  ["GET", "/api/v1/nodes/a%20b", { verb: "get", resource: "nodes", name: "a b" }],
  ["GET", "/apis/x.io/v1/namespaces/a/status", { verb: "list", group: "x.io", resource: "status", namespace: "a" }],
];

describe("a request's path", () => {
  it.each(resources)("%s %s is about a resource", (method, url, expected) => {
    expect(parse(method, url)).toEqual({ ...nothing, ...expected });
  });

  it.each([
    "/",
    "/api",
    "/api/v1",
    "/apis",
    "/apis/apps",
    "/apis/apps/v1",
    "/healthz",
    "/openapi/v3",
    "/api/v1//pods",
    "/api/v1/pods/..",
    "/api/v1/pods/%2e%2e",
    "/api/v1/pods/a%2Fb",
    "/api/v1/pods/%zz",
  ])("%s is a plain path", (url) => {
    expect(parse("GET", url)).toEqual({ type: "path", verb: "get", path: url });
  });

  it.each([
    ["GET", "fieldSelector=metadata.name%3Da", "a"],
    ["GET", "watch=1&fieldSelector=metadata.name%3Da,metadata.namespace!%3Db", "a"],
    ["GET", "fieldSelector=metadata.name!%3Da", ""],
    ["GET", "fieldSelector=metadata.name", ""],
    ["GET", "", ""],
    ["DELETE", "fieldSelector=metadata.name%3Da", ""],
  ])("of a %s with %s names %j for the question whether it may be", (method, query, name) => {
    const parameters = new URLSearchParams(query);
    expect(narrowedBySelector(parseRequest(method, "/api/v1/namespaces/n/pods", parameters), parameters)).toMatchObject(
      {
        name,
      },
    );
  });

  it("reads booleans as Go does", () => {
    expect([null, "0", "false", "", "1", "true", "anything"].map(isTrue)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });
});
