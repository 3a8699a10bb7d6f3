import { expect, test } from "vitest";
import { denied } from "./cluster-authorizer.ts";
import { ask, path } from "./testing/rbac-objects.ts";
import type { Attributes } from "./user.ts";

const cases: [string, Attributes, string, string, object][] = [
  [
    "jane",
    ask("list", "/configmaps", "rec"),
    "",
    'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "rec"',
    { kind: "configmaps" },
  ],
  [
    "system:anonymous",
    ask("list", "/configmaps"),
    "",
    'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" at the cluster scope',
    { kind: "configmaps" },
  ],
  [
    "imp",
    ask("get", "apps/deployments/scale", "x", "a"),
    "",
    'deployments.apps "a" is forbidden: User "imp" cannot get resource "deployments/scale" in API group "apps" in the namespace "x"',
    { name: "a", group: "apps", kind: "deployments" },
  ],
  ["system:anonymous", path("get", "/x"), "", 'forbidden: User "system:anonymous" cannot get path "/x"', {}],
  ["imp", path("post", '/x"A<'), "", 'forbidden: User "imp" cannot post path "/x\\"A&lt;"', {}],
  [
    'a<b>&"c',
    ask("list", "/nodes"),
    'RBAC: clusterrole.rbac.authorization.k8s.io "nosuch" not found',
    'nodes is forbidden: User "a&lt;b&gt;&amp;\\"c" cannot list resource "nodes" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "nosuch" not found',
    { kind: "nodes" },
  ],
];

test.each(cases)("%s gets a reason for the refusal of %j", (name, attributes, reason, message, details) => {
  const status = denied({ name, groups: [] }, attributes, { allowed: false, reason }).toStatus();
  expect(status).toMatchObject({ code: 403, reason: "Forbidden", message });
  expect(status.details).toEqual(details);
});
