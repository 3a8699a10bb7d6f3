import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { ObjectMap } from "../testing/object-map.ts";
import type { PolicyRule } from "./policy-rule.ts";
import { ask, binding, clusterRole, path, role } from "../testing/rbac-objects.ts";
import { RbacAuthorizer } from "./rbac.ts";
import type { Attributes, User } from "../user.ts";

const jane: User = { name: "jane", groups: ["dev", "system:authenticated"] };

const pods = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };

describe("rules", () => {
  const cases: [string, PolicyRule, Attributes, boolean][] = [
    ["the very verb, group and resource", pods, ask("get", "/pods", "a", "p"), true],
    ["another verb", pods, ask("watch", "/pods", "a"), false],
    ["another group", pods, ask("get", "apps/pods", "a"), false],
    ["a subresource is a resource of its own", pods, ask("get", "/pods/log", "a", "p"), false],
    ["a subresource by name", { ...pods, resources: ["pods/log"] }, ask("get", "/pods/log", "a", "p"), true],
    ["the resource is not meant by its subresource", { ...pods, resources: ["pods/log"] }, ask("get", "/pods"), false],
    ["one subresource of everything", { ...pods, resources: ["*/status"] }, ask("get", "/nodes/status"), true],
    ["another subresource", { ...pods, resources: ["*/status"] }, ask("get", "/nodes/scale"), false],
    [
      "every subresource of one kind is not a thing",
      { ...pods, resources: ["pods/*"] },
      ask("get", "/pods/log"),
      false,
    ],
    ["everything", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, ask("eat", "x/y/z", "n", "m"), true],
    ["everything but paths", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, path("get", "/x"), false],
    ["a named object", { ...pods, resourceNames: ["p"] }, ask("get", "/pods", "a", "p"), true],
    ["another object", { ...pods, resourceNames: ["p"] }, ask("get", "/pods", "a", "q"), false],
    ["no object where names are listed", { ...pods, resourceNames: ["p"] }, ask("list", "/pods", "a"), false],
    ["a star among names is a name", { ...pods, resourceNames: ["*"] }, ask("get", "/pods", "a", "p"), false],
    ["a path", { verbs: ["get"], nonResourceURLs: ["/version"] }, path("get", "/version"), true],
    ["a path is not its children", { verbs: ["get"], nonResourceURLs: ["/version"] }, path("get", "/version/"), false],
    ["children of a path", { verbs: ["get"], nonResourceURLs: ["/apis/*"] }, path("get", "/apis/apps/v1"), true],
    ["a prefix of a name", { verbs: ["get"], nonResourceURLs: ["/api*"] }, path("get", "/apis"), true],
    ["a star in the middle is a letter", { verbs: ["get"], nonResourceURLs: ["/a/*/b"] }, path("get", "/a/x/b"), false],
    ["another verb on a path", { verbs: ["get"], nonResourceURLs: ["*"] }, path("post", "/x"), false],
    ["a rule without verbs", { verbs: [], apiGroups: ["*"], resources: ["*"] }, ask("get", "/pods"), false],
  ];
  test.each(cases)("%s", (_what, rule, attributes, allowed) => {
    const objects = new ObjectMap().put(clusterRole("r", [rule]), binding("b", "ClusterRole/r", "User jane"));
    expect(new RbacAuthorizer(objects).authorize(jane, attributes).allowed).toBe(allowed);
  });
});

describe("bindings", () => {
  const builder: User = { name: "system:serviceaccount:ci:builder", groups: ["system:serviceaccounts"] };
  const cases: [string, KubeObject[], User, string, string | undefined][] = [
    [
      "a user",
      [binding("b", "ClusterRole/r", "User jane")],
      jane,
      "",
      'ClusterRoleBinding "b" of ClusterRole "r" to User "jane"',
    ],
    [
      "a group",
      [binding("b", "ClusterRole/r", "Group dev")],
      jane,
      "",
      'ClusterRoleBinding "b" of ClusterRole "r" to Group "dev"',
    ],
    ["a user is no group", [binding("b", "ClusterRole/r", "Group jane", "User dev")], jane, "", undefined],
    [
      "a service account",
      [binding("b", "ClusterRole/r", "ServiceAccount builder ci")],
      builder,
      "",
      'ClusterRoleBinding "b" of ClusterRole "r" to ServiceAccount "builder/ci"',
    ],
    [
      "a service account of the binding's namespace",
      [binding("ci/b", "ClusterRole/r", "ServiceAccount builder")],
      builder,
      "ci",
      'RoleBinding "b/ci" of ClusterRole "r" to ServiceAccount "builder/ci"',
    ],
    [
      "a service account of no namespace",
      [binding("b", "ClusterRole/r", "ServiceAccount builder")],
      builder,
      "",
      undefined,
    ],
    ["a role", [binding("ci/b", "Role/r", "User jane")], jane, "ci", 'RoleBinding "b/ci" of Role "r" to User "jane"'],
    ["another namespace", [binding("ci/b", "Role/r", "User jane")], jane, "prod", undefined],
    ["all namespaces at once", [binding("ci/b", "ClusterRole/r", "User jane")], jane, "", undefined],
    ["a Role cannot be bound to the cluster", [binding("b", "Role/r", "User jane")], jane, "ci", undefined],
  ];
  test.each(cases)("%s", (_what, bindings, user, namespace, by) => {
    const objects = new ObjectMap().put(clusterRole("r", [pods]), role("ci", "r", [pods]), ...bindings);
    const decision = new RbacAuthorizer(objects).authorize(user, ask("list", "/pods", namespace));
    expect(decision.allowed).toBe(by !== undefined);
    if (by !== undefined) expect(decision.reason).toBe(`RBAC: allowed by ${by}`);
  });

  test("a missing role is named in the refusal", () => {
    const objects = new ObjectMap().put(binding("b", "ClusterRole/nosuch", "User jane"));
    expect(new RbacAuthorizer(objects).authorize(jane, ask("get", "/pods"))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "nosuch" not found',
    });
  });

  test("system:masters may do everything without any role", () => {
    const admin: User = { name: "admin", groups: ["system:masters"] };
    const rbac = new RbacAuthorizer(new ObjectMap());
    expect(rbac.authorize(admin, path("delete", "/"))).toEqual({ allowed: true, reason: "" });
    expect(rbac.authorize(admin, ask("escalate", "a/b/c", "d", "e"))).toEqual({ allowed: true, reason: "" });
  });
});

describe("aggregated roles", () => {
  const gather = (label: string, labels: Record<string, string> = {}): Record<string, unknown> => ({
    metadata: { name: label, labels },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
  });
  const objects = (): ObjectMap =>
    new ObjectMap().put(
      clusterRole("edit", [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], gather("edit")),
      clusterRole("view", [], gather("view", { edit: "true" })),
      clusterRole("pod-reader", [pods], { metadata: { name: "pod-reader", labels: { view: "true" } } }),
      binding("b", "ClusterRole/edit", "User jane"),
    );

  test("have the rules of the roles they aggregate, transitively, and not their own", () => {
    const rbac = new RbacAuthorizer(objects());
    expect(rbac.authorize(jane, ask("get", "/pods")).allowed).toBe(true);
    expect(rbac.authorize(jane, ask("get", "/secrets")).allowed).toBe(false);
  });

  test("include a role that is labelled later", () => {
    const map = objects();
    const rbac = new RbacAuthorizer(map);
    expect(rbac.authorize(jane, ask("get", "/nodes")).allowed).toBe(false);
    map.put(
      clusterRole("node-reader", [{ ...pods, resources: ["nodes"] }], {
        metadata: { name: "node-reader", labels: { view: "true" } },
      }),
    );
    expect(rbac.authorize(jane, ask("get", "/nodes")).allowed).toBe(true);
  });

  test("that aggregate each other terminate", () => {
    const map = objects().put(clusterRole("view", [], gather("view", { edit: "true", view: "true" })));
    map.put(clusterRole("edit", [], gather("edit", { view: "true" })));
    expect(new RbacAuthorizer(map).authorize(jane, ask("get", "/pods")).allowed).toBe(true);
  });

  test.each([
    [{ matchExpressions: [{ key: "view", operator: "Exists" }] }, true],
    [{ matchExpressions: [{ key: "view", operator: "In", values: ["false"] }] }, false],
    [{ matchExpressions: [{ key: "view", operator: "Like", values: ["t%"] }] }, false],
    [{ matchLabels: { view: "true", other: "x" } }, false],
    [{}, true],
  ])("select by %j", (selector, allowed) => {
    const map = objects().put(clusterRole("edit", [], { aggregationRule: { clusterRoleSelectors: [selector] } }));
    expect(new RbacAuthorizer(map).authorize(jane, ask("get", "/pods")).allowed).toBe(allowed);
  });
});

test("a decision holds until roles or bindings change", () => {
  const objects = new ObjectMap().put(role("ci", "r", [pods]));
  const rbac = new RbacAuthorizer(objects);
  const allowed = (): boolean => rbac.authorize(jane, ask("list", "/pods", "ci")).allowed;
  expect(allowed()).toBe(false);
  objects.put(binding("ci/b", "Role/r", "User jane"));
  expect(allowed()).toBe(true);
  objects.put(role("ci", "r", []));
  expect(allowed()).toBe(false);
  objects.put(role("ci", "r", [pods]));
  expect(allowed()).toBe(true);
  objects.remove("rolebindings.rbac.authorization.k8s.io", "ci/b");
  expect(allowed()).toBe(false);
});

test("users and requests with equal concatenations are not confused", () => {
  const objects = new ObjectMap().put(
    clusterRole("r", [{ verbs: ["get"], apiGroups: ["a"], resources: ["b"] }]),
    binding("x", "ClusterRole/r", "User jane", "Group ops"),
  );
  const rbac = new RbacAuthorizer(objects);
  expect(rbac.authorize({ name: "u", groups: ["ops"] }, ask("get", "a/b")).allowed).toBe(true);
  for (const user of [
    { name: 'u","ops', groups: [] },
    { name: "u", groups: ['x","ops'] },
    { name: "u", groups: [] },
  ])
    expect(rbac.authorize(user, ask("get", "a/b")).allowed).toBe(false);
  for (const [verb, group, resource] of [
    ["geta", "", "b"],
    ["ge", "ta", "b"],
    ["get", "", "ab"],
    ["get", "ab", ""],
  ] as const)
    expect(
      rbac.authorize(jane, {
        ...(ask("get", "a/b") as Extract<Attributes, { type: "resource" }>),
        verb,
        group,
        resource,
      }).allowed,
    ).toBe(false);
});

test("names out of Object.prototype are ordinary names", () => {
  const objects = new ObjectMap().put(
    clusterRole("constructor", [{ verbs: ["get"], apiGroups: ["__proto__"], resources: ["toString"] }]),
    binding("__proto__", "ClusterRole/constructor", "User hasOwnProperty"),
  );
  const rbac = new RbacAuthorizer(objects);
  const user = { name: "hasOwnProperty", groups: [] };
  expect(rbac.authorize(user, ask("get", "__proto__/toString")).allowed).toBe(true);
  expect(rbac.authorize(user, ask("get", "constructor/toString")).allowed).toBe(false);
});

test("the rules of a user are those of the cluster, then those of the namespace", () => {
  const secrets = { ...pods, resources: ["secrets"] };
  const objects = new ObjectMap().put(
    clusterRole("r", [pods]),
    role("ci", "r", [secrets]),
    binding("ci/a", "Role/r", "Group dev"),
    binding("b", "ClusterRole/r", "User jane"),
    binding("c", "ClusterRole/nosuch", "User jane"),
  );
  const rbac = new RbacAuthorizer(objects);
  const errors = ['clusterrole.rbac.authorization.k8s.io "nosuch" not found'];
  expect(rbac.rulesFor(jane, "ci")).toEqual({ rules: [pods, secrets], errors });
  expect(rbac.rulesFor(jane, "")).toEqual({ rules: [pods], errors });
  expect(rbac.rulesFor(jane, "other")).toEqual({ rules: [pods], errors });
});
