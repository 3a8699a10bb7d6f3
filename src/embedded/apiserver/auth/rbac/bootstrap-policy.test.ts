import { describe, expect, test } from "vitest";
import { keyOf } from "../../../../language/object/meta.ts";
import { bootstrapObjects } from "./bootstrap-policy.ts";
import { ObjectMap } from "../testing/object-map.ts";
import { ask, binding, path } from "../testing/rbac-objects.ts";
import { RbacAuthorizer } from "./rbac.ts";
import { anonymous, type Attributes, type User } from "../user.ts";

const jane: User = { name: "jane", groups: ["system:authenticated"] };
const monitor: User = { name: "prometheus", groups: ["system:monitoring", "system:authenticated"] };
const itself: User = { name: "system:kube-apiserver", groups: ["system:authenticated"] };
const account: User = { name: "system:serviceaccount:a:b", groups: ["system:serviceaccounts", "system:authenticated"] };

describe("on a fresh server", () => {
  const rbac = new RbacAuthorizer(new ObjectMap().put(...bootstrapObjects()));
  test.each<[string, User, Attributes, boolean]>([
    ["anonymous users read health", anonymous, path("get", "/healthz"), true],
    ["anonymous users read the version", anonymous, path("get", "/version"), true],
    ["anonymous users do not read discovery", anonymous, path("get", "/apis"), false],
    ["anonymous users do not read single health checks", anonymous, path("get", "/readyz/etcd"), false],
    [
      "anonymous users do not create SelfSubjectReviews",
      anonymous,
      ask("create", "authentication.k8s.io/selfsubjectreviews"),
      false,
    ],
    ["authenticated users read discovery", jane, path("get", "/openapi/v3/api/v1"), true],
    [
      "authenticated users review their own access",
      jane,
      ask("create", "authorization.k8s.io/selfsubjectaccessreviews"),
      true,
    ],
    [
      "authenticated users do not review others' access",
      jane,
      ask("create", "authorization.k8s.io/subjectaccessreviews"),
      false,
    ],
    ["authenticated users read no objects", jane, ask("list", "/pods", "a"), false],
    ["monitoring reads metrics", monitor, path("get", "/metrics"), true],
    ["other users do not read metrics", jane, path("get", "/metrics"), false],
    ["service accounts see the keys of their tokens", account, path("get", "/openid/v1/jwks"), true],
    ["the server reaches kubelets", itself, ask("get", "/nodes/proxy", "", "n"), true],
    ["the API server's own user has no other rights", itself, ask("list", "/secrets", "a"), false],
    [
      "the role system:node is bound to no node",
      { name: "system:node:n", groups: ["system:nodes"] },
      ask("get", "/nodes", "", "n"),
      false,
    ],
  ])("%s", (_what, user, attributes, allowed) => {
    expect(rbac.authorize(user, attributes).allowed).toBe(allowed);
  });
});

describe("bound in the namespace a", () => {
  const questions: [string, Attributes][] = [
    ["read pods", ask("list", "/pods", "a")],
    ["read logs", ask("get", "/pods/log", "a", "p")],
    ["read secrets", ask("get", "/secrets", "a", "s")],
    ["write pods", ask("create", "/pods", "a")],
    ["write roles", ask("create", "rbac.authorization.k8s.io/roles", "a")],
    ["write the namespace", ask("delete", "/namespaces", "a", "a")],
  ];
  test.each([
    ["view", ["read pods", "read logs"]],
    ["edit", ["read pods", "read logs", "read secrets", "write pods"]],
    ["admin", ["read pods", "read logs", "read secrets", "write pods", "write roles"]],
    ["cluster-admin", questions.map(([what]) => what)],
  ])("%s may %j", (role, expected) => {
    const objects = new ObjectMap().put(...bootstrapObjects(), binding("a/b", `ClusterRole/${role}`, "User jane"));
    const rbac = new RbacAuthorizer(objects);
    const may = questions.filter(([, attributes]) => rbac.authorize(jane, attributes).allowed).map(([what]) => what);
    expect(may).toEqual(expected);
  });
});

test("every object has the bootstrapping label, and every binding has its role", () => {
  const objects = bootstrapObjects();
  for (const { metadata } of objects) {
    expect(metadata.labels).toMatchObject({ "kubernetes.io/bootstrapping": "rbac-defaults" });
    expect(metadata.annotations).toEqual({ "rbac.authorization.kubernetes.io/autoupdate": "true" });
  }
  const there = new Set(objects.map((object) => `${object.kind} ${keyOf(object)}`));
  expect(there.size).toBe(objects.length);
  for (const { kind, metadata, roleRef } of objects) {
    if (!kind.endsWith("Binding")) continue;
    const { kind: roleKind, name } = roleRef as { kind: string; name: string };
    expect(there).toContain(`${roleKind} ${roleKind === "Role" ? `${metadata.namespace}/` : ""}${name}`);
  }
});
