import { describe, expect, it } from "vitest";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./rbac.ts";
import { create, row, update } from "./testing/run-strategy.ts";

const group = "rbac.authorization.k8s.io";

describe("rules", () => {
  it.each([
    [
      { verbs: [], apiGroups: [""], resources: ["pods"] },
      ["rules[0].verbs: Required value: verbs must contain at least one value"],
      "any",
    ],
    [
      { verbs: ["get"], resources: ["pods"] },
      ["rules[0].apiGroups: Required value: resource rules must supply at least one api group"],
      "any",
    ],
    [
      { verbs: ["get"], apiGroups: [""] },
      ["rules[0].resources: Required value: resource rules must supply at least one resource"],
      "any",
    ],
    [
      { verbs: ["get"], nonResourceURLs: ["/x"] },
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
      "namespaced",
    ],
    [{ verbs: ["get"], nonResourceURLs: ["/x"] }, [], "cluster"],
    [
      { verbs: ["get"], apiGroups: [""], resources: ["a"], nonResourceURLs: ["/x"] },
      [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
      "cluster",
    ],
  ])("%j have the faults %j where scope is %s", (rule, faults, scope) => {
    if (scope !== "cluster") expect(create(role, { rules: [rule] }).faults).toEqual(faults);
    if (scope !== "namespaced") expect(create(clusterRole, { rules: [rule] }).faults).toEqual(faults);
  });

  it("may be aggregated by at least one selector", () => {
    expect(create(clusterRole, { aggregationRule: { clusterRoleSelectors: [] } }).faults).toEqual([
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ]);
    const selector = { matchExpressions: [{ key: "a", operator: "In" }] };
    expect(create(clusterRole, { aggregationRule: { clusterRoleSelectors: [selector] } }).faults).toEqual([
      "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
    ]);
  });
});

describe("names of roles", () => {
  it("may contain colons, but no slashes", () => {
    expect(create(role, { metadata: { name: "system:x" } }).faults).toEqual([]);
    expect(create(role, { metadata: { name: "a/b" } }).faults).toEqual([
      "metadata.name: Invalid value: \"a/b\": may not contain '/'",
    ]);
  });
});

describe("bindings", () => {
  it("get the API group of the role and of users and groups", () => {
    const subjects = [
      { kind: "User", name: "u" },
      { kind: "Group", name: "g" },
      { kind: "ServiceAccount", name: "s" },
    ];
    const { object, faults } = create(roleBinding, { roleRef: { kind: "Role", name: "x" }, subjects });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      roleRef: { apiGroup: group, kind: "Role", name: "x" },
      subjects: [
        { kind: "User", apiGroup: group, name: "u" },
        { kind: "Group", apiGroup: group, name: "g" },
        { kind: "ServiceAccount", name: "s" },
      ],
    });
  });

  it("need a valid role and valid subjects", () => {
    const subjects = [
      { kind: "User", name: "" },
      { kind: "Group", name: "g", apiGroup: "q" },
      { kind: "Zed", name: "z" },
      { kind: "ServiceAccount", name: "a", apiGroup: "q" },
    ];
    expect(create(roleBinding, { roleRef: { kind: "Odd", name: "", apiGroup: "zz" }, subjects }).faults).toEqual([
      `roleRef.apiGroup: Unsupported value: "zz": supported values: "${group}"`,
      'roleRef.kind: Unsupported value: "Odd": supported values: "Role", "ClusterRole"',
      "roleRef.name: Required value",
      "subjects[0].name: Required value",
      `subjects[1].apiGroup: Unsupported value: "q": supported values: "${group}"`,
      'subjects[2].kind: Unsupported value: "Zed": supported values: "ServiceAccount", "User", "Group"',
      'subjects[3].apiGroup: Unsupported value: "q": supported values: ""',
    ]);
  });

  it("of cluster scope bind only ClusterRoles, and need the namespace of an account", () => {
    const subjects = [{ kind: "ServiceAccount", name: "a" }];
    expect(create(clusterRoleBinding, { roleRef: { kind: "Role", name: "r" }, subjects }).faults).toEqual([
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      "subjects[0].namespace: Required value",
    ]);
  });

  it("have an immutable roleRef", () => {
    const { object } = create(roleBinding, { roleRef: { kind: "Role", name: "x" } });
    expect(update(roleBinding, object, { roleRef: { name: "y" } }).faults).toEqual([
      `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"Role","Name":"y"}: cannot change roleRef`,
    ]);
  });

  it("are shown with their subjects by kind", () => {
    const subjects = [
      { kind: "User", name: "u" },
      { kind: "User", name: "v" },
      { kind: "ServiceAccount", name: "s", namespace: "n" },
    ];
    const { object } = create(roleBinding, { roleRef: { kind: "Role", name: "x" }, subjects });
    expect(row(roleBinding, object)).toMatchObject({
      Role: "Role/x",
      Users: "u, v",
      Groups: "",
      ServiceAccounts: "n/s",
    });
  });
});
