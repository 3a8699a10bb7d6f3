import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Status } from "../../../../language/object/status.ts";
import { escalationCheck } from "./escalation.ts";
import { ObjectMap } from "../testing/object-map.ts";
import type { PolicyRule } from "./policy-rule.ts";
import { binding, clusterRole, role } from "../testing/rbac-objects.ts";
import { RbacAuthorizer } from "./rbac.ts";
import type { User } from "../user.ts";

const jane: User = { name: "jane", groups: ["dev", "system:authenticated"] };
const pods: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const secrets: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["secrets"] };
const all: PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];
const rbacRule = (verb: string, resource: string, name: string): PolicyRule => ({
  verbs: [verb],
  apiGroups: ["rbac.authorization.k8s.io"],
  resources: [resource],
  resourceNames: [name],
});

/** Checks a write by jane, who holds `held` cluster-wide and `heldInCi` in the namespace ci. */
function check(
  write: { object: KubeObject; old?: KubeObject },
  held: PolicyRule[] = [pods],
  heldInCi: PolicyRule[] = [],
): Status | undefined {
  const objects = new ObjectMap().put(
    clusterRole("held", held),
    binding("held", "ClusterRole/held", "User jane"),
    role("ci", "held", heldInCi),
    binding("ci/held", "Role/held", "User jane"),
    clusterRole("big", [secrets]),
    role("ci", "big", [secrets]),
    clusterRole("gathers", [], {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] },
    }),
    clusterRole("gathered", [secrets], { metadata: { name: "gathered", labels: { part: "yes" } } }),
  );
  return escalationCheck({ user: jane, rbac: new RbacAuthorizer(objects), ...write })?.toStatus();
}

const attempt =
  'user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n';

describe("a role", () => {
  const cases: [string, KubeObject, PolicyRule[], PolicyRule[], boolean][] = [
    ["with what is held", clusterRole("r", [pods]), [pods], [], true],
    [
      "with a part of what is held",
      clusterRole("r", [{ ...pods, verbs: ["list"], resourceNames: ["a"] }]),
      [pods],
      [],
      true,
    ],
    ["with more verbs", clusterRole("r", [{ ...pods, verbs: ["get", "watch"] }]), [pods], [], false],
    ["with a wildcard", clusterRole("r", [{ ...pods, verbs: ["*"] }]), [pods], [], false],
    ["with all objects where some are held", clusterRole("r", [pods]), [{ ...pods, resourceNames: ["a"] }], [], false],
    [
      "with one of the objects held",
      clusterRole("r", [{ ...pods, resourceNames: ["b"] }]),
      [{ ...pods, resourceNames: ["a", "b"] }],
      [],
      true,
    ],
    [
      "that joins what several rules give",
      clusterRole("r", [{ ...pods, resources: ["pods", "secrets"], verbs: ["get"] }]),
      [pods, secrets],
      [],
      true,
    ],
    [
      "with a subresource of everything",
      clusterRole("r", [{ ...pods, resources: ["nodes/status"] }]),
      [{ ...pods, resources: ["*/status"] }],
      [],
      true,
    ],
    [
      "with paths under a held path",
      clusterRole("r", [{ verbs: ["get"], nonResourceURLs: ["/a/b", "/a/c/*"] }]),
      [{ verbs: ["get"], nonResourceURLs: ["/a/*"] }],
      [],
      true,
    ],
    [
      "with paths above a held path",
      clusterRole("r", [{ verbs: ["get"], nonResourceURLs: ["/*"] }]),
      [{ verbs: ["get"], nonResourceURLs: ["/a/*"] }],
      [],
      false,
    ],
    ["in a namespace where it is held", role("ci", "r", [secrets]), [], [secrets], true],
    ["in another namespace", role("prod", "r", [secrets]), [], [secrets], false],
    ["for the cluster, held in a namespace only", clusterRole("r", [secrets]), [], [secrets], false],
    ["by one who may escalate it", clusterRole("r", all), [rbacRule("escalate", "clusterroles", "r")], [], true],
    ["by one who may escalate another", clusterRole("r", all), [rbacRule("escalate", "clusterroles", "q")], [], false],
    ["without rules", clusterRole("r", []), [], [], true],
  ];
  test.each(cases)("%s", (_what, object, held, heldInCi, allowed) => {
    expect(check({ object }, held, heldInCi) === undefined).toBe(allowed);
  });

  test("refused lists the missing rights", () => {
    const object = clusterRole("e1", [
      { apiGroups: ["", "apps"], resources: ["pods", "secrets"], verbs: ["get", "list", "watch"] },
      { nonResourceURLs: ["/x"], verbs: ["get", "post"] },
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { apiGroups: [""], resources: ["pods/log"], resourceNames: ["a", "b"], verbs: ["get"] },
    ]);
    expect(check({ object })).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `clusterroles.rbac.authorization.k8s.io "e1" is forbidden: ${attempt}${[
        '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
        '{APIGroups:[""], Resources:["pods/log"], ResourceNames:["a"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["pods/log"], ResourceNames:["b"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list" "watch"]}',
        '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
        '{NonResourceURLs:["/x"], Verbs:["post"]}',
      ].join("\n")}`,
      reason: "Forbidden",
      details: { name: "e1", group: "rbac.authorization.k8s.io", kind: "clusterroles" },
      code: 403,
    });
  });

  test("already stored is checked on every change but that of owner references", () => {
    const old = clusterRole("big", [secrets]);
    const changed = (metadata: Partial<KubeObject["metadata"]>): KubeObject => ({
      ...old,
      metadata: { ...old.metadata, ...metadata },
    });
    expect(check({ old, object: changed({ labels: { a: "b" } }) })?.code).toBe(403);
    expect(
      check({ old, object: changed({ finalizers: ["a/b"], ownerReferences: [], resourceVersion: "2" }) }),
    ).toBeUndefined();
    expect(check({ old, object: { ...old, rules: [pods] } })).toBeUndefined();
  });

  test("with an aggregationRule needs cluster-admin rights", () => {
    const object = clusterRole("r", [], { aggregationRule: { clusterRoleSelectors: [{}] } });
    const message =
      'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule';
    expect(check({ object })?.message).toBe(message);
    expect(check({ object: clusterRole("r", []), old: object })?.message).toBe(message);
    expect(check({ object }, all)).toBeUndefined();
  });

  test("may be written by every member of system:masters", () => {
    const rbac = new RbacAuthorizer(new ObjectMap());
    const admin = { name: "admin", groups: ["system:masters"] };
    expect(escalationCheck({ user: admin, object: clusterRole("r", all), rbac })).toBeUndefined();
  });
});

describe("a binding", () => {
  const cases: [string, KubeObject, PolicyRule[], PolicyRule[], boolean][] = [
    ["of a role that is held", binding("b", "ClusterRole/held", "User eve"), [pods], [], true],
    ["of a role that is not", binding("b", "ClusterRole/big", "User eve"), [pods], [], false],
    [
      "by one who may bind it",
      binding("b", "ClusterRole/big", "User eve"),
      [rbacRule("bind", "clusterroles", "big")],
      [],
      true,
    ],
    [
      "by one who may bind a Role of that name",
      binding("b", "ClusterRole/big", "User eve"),
      [rbacRule("bind", "roles", "big")],
      [],
      false,
    ],
    [
      "of a ClusterRole in a namespace, held there",
      binding("ci/b", "ClusterRole/big", "User eve"),
      [],
      [secrets],
      true,
    ],
    [
      "of a ClusterRole in a namespace, held in another",
      binding("prod/b", "ClusterRole/big", "User eve"),
      [],
      [secrets],
      false,
    ],
    [
      "of a Role in a namespace, bindable there",
      binding("ci/b", "Role/big", "User eve"),
      [],
      [rbacRule("bind", "roles", "big")],
      true,
    ],
    ["of a role that gathers what is not held", binding("b", "ClusterRole/gathers", "User eve"), [pods], [], false],
    ["of a role that gathers what is held", binding("b", "ClusterRole/gathers", "User eve"), [secrets], [], true],
  ];
  test.each(cases)("%s", (_what, object, held, heldInCi, allowed) => {
    expect(check({ object }, held, heldInCi) === undefined).toBe(allowed);
  });

  test("refused names what is not held", () => {
    expect(check({ object: binding("ci/b2", "ClusterRole/big", "User eve") })?.message).toBe(
      `rolebindings.rbac.authorization.k8s.io "b2" is forbidden: ${attempt}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    );
  });

  test("of a role that does not exist is not found", () => {
    expect(check({ object: binding("b", "ClusterRole/nosuch", "User eve") })).toMatchObject({
      code: 404,
      message: 'clusterrolebindings.rbac.authorization.k8s.io "nosuch" not found',
    });
  });
});
