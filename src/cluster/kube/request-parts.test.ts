import { describe, expect, test } from "vitest";
import { kinds } from "./kinds.ts";
import { type PathParts, requestPath } from "./request-parts.ts";

describe("a path", () => {
  test.each<[keyof typeof kinds, PathParts, string]>([
    ["node", {}, "/api/v1/nodes"],
    ["node", { name: "a", subresource: "status" }, "/api/v1/nodes/a/status"],
    ["node", { namespace: "ignored", name: "a" }, "/api/v1/nodes/a"],
    ["daemonSet", {}, "/apis/apps/v1/daemonsets"],
    ["daemonSet", { namespace: "n", name: "a" }, "/apis/apps/v1/namespaces/n/daemonsets/a"],
    [
      "clusterRole",
      { name: "system:node/../x?y#z" },
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode%2F..%2Fx%3Fy%23z",
    ],
    [
      "pod",
      { query: { labelSelector: "a in (b,c)", limit: 5, watch: true } },
      "/api/v1/pods?labelSelector=a%20in%20(b%2Cc)&limit=5&watch=true",
    ],
    ["pod", { query: { continue: undefined, resourceVersion: "", force: false } }, "/api/v1/pods"],
    ["pod", { query: { resourceVersion: "0" } }, "/api/v1/pods?resourceVersion=0"],
  ])("of %s with %j", (kind, parts, expected) => {
    expect(requestPath(kinds[kind], parts)).toBe(expected);
  });

  test.each<[PathParts, string]>([
    [{ name: "a" }, "a namespace is needed"],
    [{ namespace: "n", name: "" }, "is not a name"],
    [{ namespace: "n", name: ".." }, "is not a name"],
    [{ namespace: ".", name: "a" }, "is not a name"],
    [{ namespace: "n", name: "a", subresource: "../b" }, "is not a name"],
  ])("is refused for %j", (parts, message) => {
    expect(() => requestPath(kinds.pod, parts)).toThrow(message);
  });
});
