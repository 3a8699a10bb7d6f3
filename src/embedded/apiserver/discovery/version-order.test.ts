import { expect, it } from "vitest";
import { compareGroups } from "./group-order.ts";
import { compareVersions } from "./version-order.ts";

it.each([
  [
    ["v1alpha1", "v1", "v1beta1"],
    ["v1", "v1beta1", "v1alpha1"],
  ],
  [
    ["v1", "v2", "v10"],
    ["v10", "v2", "v1"],
  ],
  [
    ["v1beta1", "v2beta1", "v1beta2", "v1beta10"],
    ["v2beta1", "v1beta10", "v1beta2", "v1beta1"],
  ],
  [
    ["foo10", "v3alpha1", "foo1", "v1beta1"],
    ["v1beta1", "v3alpha1", "foo1", "foo10"],
  ],
  [
    ["v1gamma1", "v", "v1"],
    ["v1", "v", "v1gamma1"],
  ],
])("versions %j are preferred as %j", (given, sorted) => {
  expect(given.toSorted(compareVersions)).toEqual(sorted);
});

it("lists built-in groups in their own order and the others after them by name", () => {
  const given = ["tuned.openshift.io", "node.k8s.io", "apps", "a.example.com", "", "rbac.authorization.k8s.io"];
  expect(given.toSorted(compareGroups)).toEqual([
    "",
    "apps",
    "rbac.authorization.k8s.io",
    "node.k8s.io",
    "a.example.com",
    "tuned.openshift.io",
  ]);
});
