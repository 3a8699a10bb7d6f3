import { beforeEach, describe, expect, it } from "vitest";
import { SmallServer } from "../../testing/small-server.ts";
import { ask } from "../testing/rbac-objects.ts";
import type { Attributes, User } from "../user.ts";

const node = (name: string): User => ({
  name: `system:node:${name}`,
  groups: ["system:nodes", "system:authenticated"],
});
const body = (name: string, nodeName?: string, secret = `of-${nodeName}`) => ({
  metadata: { name, namespace: "ns" },
  spec: {
    ...(nodeName ? { nodeName } : {}),
    containers: [{ name: "c", image: "i" }],
    imagePullSecrets: [{ name: secret }],
  },
});

let server: SmallServer;
beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespacesForPods("ns");
  await server.create("pods", body("on-a", "a"));
  await server.create("pods", body("on-b", "b"));
});

const decide = (attributes: Attributes, user = node("a")) => server.services.authorizer.authorize(user, attributes);
const selecting = (verb: string, field: string, value: string, op: "=" | "!=" = "="): Attributes =>
  ({ ...ask(verb, "/pods"), fieldSelector: [{ field, op, value }] }) as Attributes;

describe("what a node may do", () => {
  it.each<[Attributes]>([
    [ask("get", "/secrets", "ns", "of-a")],
    [ask("watch", "/secrets", "ns", "of-a")],
    [ask("get", "/configmaps", "ns", "kube-root-ca.crt")],
    [ask("get", "/serviceaccounts", "ns", "default")],
    [ask("create", "/serviceaccounts/token", "ns", "default")],
    [ask("get", "/pods", "ns", "on-a")],
    [selecting("list", "spec.nodeName", "a")],
    [selecting("watch", "spec.nodeName", "a")],
    [ask("create", "/pods", "ns")],
    [ask("patch", "/pods/status", "ns", "on-a")],
    [ask("create", "/pods/eviction", "ns", "on-a")],
    [ask("create", "/nodes")],
    [ask("update", "/nodes/status", "", "a")],
    [ask("get", "/nodes", "", "a")],
    [ask("update", "coordination.k8s.io/leases", "kube-node-lease", "a")],
    [ask("create", "storage.k8s.io/csinodes")],
    [ask("create", "/events", "ns")],
    [ask("list", "/services")],
    [ask("list", "node.k8s.io/runtimeclasses")],
    [ask("create", "authentication.k8s.io/tokenreviews")],
  ])("%j", (attributes) => {
    expect(decide(attributes)).toEqual({ allowed: true, reason: "" });
  });

  const unrelated = "no relationship found between node 'a' and this object";
  it.each<[Attributes, string]>([
    [ask("get", "/secrets", "ns", "of-b"), unrelated],
    [ask("list", "/secrets", "ns"), "No Object name found"],
    [ask("list", "/secrets"), "can only read namespaced object of this type"],
    [ask("update", "/secrets", "ns", "of-a"), "can only read resources of this type"],
    [ask("get", "/secrets/x", "ns", "of-a"), "cannot read subresource"],
    [ask("list", "/persistentvolumeclaims", "ns", "c"), "can only get individual resources of this type"],
    [ask("get", "/persistentvolumes/x", "", "v"), "cannot get subresource"],
    [ask("get", "/persistentvolumeclaims/status", "ns", "c"), "can only get/update/patch this type"],
    [ask("patch", "/persistentvolumeclaims/status", "ns", "c"), unrelated],
    [ask("get", "storage.k8s.io/volumeattachments", "", "v"), unrelated],
    [ask("get", "/serviceaccounts", "ns", "other"), unrelated],
    [ask("create", "/serviceaccounts/token", "ns", "other"), unrelated],
    [ask("create", "/serviceaccounts", "ns", "default"), "can only create token subresource of serviceaccount"],
    [ask("list", "/serviceaccounts", "ns"), "can only create tokens for individual service accounts"],
    [ask("get", "/pods", "ns", "on-b"), unrelated],
    [ask("list", "/pods"), "can only list/watch pods with spec.nodeName field selector"],
    [selecting("list", "spec.nodeName", "b"), "can only list/watch pods with spec.nodeName field selector"],
    [selecting("list", "spec.nodeName", "a", "!="), "can only list/watch pods with spec.nodeName field selector"],
    [selecting("deletecollection", "spec.nodeName", "a"), ""],
    [ask("update", "/pods", "ns", "on-a"), ""],
    [ask("create", "/pods/binding", "ns", "on-a"), ""],
    [ask("get", "/pods/log", "ns", "on-a"), ""],
    [ask("delete", "/nodes", "", "a"), ""],
    [ask("get", "/nodes", "", "b"), "node 'a' cannot read 'b', only its own Node object"],
    [ask("list", "/nodes"), "node 'a' cannot read all nodes, only its own Node object"],
    [ask("get", "/nodes/proxy", "", "a"), ""],
    [
      ask("list", "coordination.k8s.io/leases", "kube-node-lease"),
      "can only get, create, update, patch, or delete a node lease",
    ],
    [
      ask("get", "coordination.k8s.io/leases", "ns", "a"),
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      ask("get", "storage.k8s.io/csinodes", "", "b"),
      "can only access CSINode with the same name as the requesting node",
    ],
    [ask("list", "apps/deployments"), ""],
  ])("but not %j", (attributes, reason) => {
    expect(decide(attributes)).toEqual({ allowed: false, reason });
  });

  it("follows every commit: bound, deleted, recreated", async () => {
    const secret = ask("get", "/secrets", "ns", "s");
    expect(decide(secret).allowed).toBe(false);
    const { metadata } = await server.create("pods", body("p", undefined, "s"));
    expect(decide(secret).allowed).toBe(false);
    const draft = server.get("pods", { namespace: "ns", name: "p" });
    const live = server.store.head("pods", "ns/p");
    const bytes = Buffer.from(JSON.stringify({ ...draft, spec: { ...(draft.spec as object), nodeName: "a" } }));
    await server.store.put("pods", "ns/p", live, () => ({ bytes, labels: undefined }));
    expect(decide(secret).allowed).toBe(true);
    await server.delete("pods", { namespace: "ns", name: "p" }, { gracePeriodSeconds: 0 });
    expect(decide(secret).allowed).toBe(false);
    await server.create("pods", body("p", "b", "s"));
    expect(decide(secret).allowed).toBe(false);
    expect(decide(secret, node("b")).allowed).toBe(true);
    expect(metadata.uid).not.toBe(server.get("pods", { namespace: "ns", name: "p" }).metadata.uid);
  });
});

describe("who is a node", () => {
  it.each([
    ["a user of that name without the group", { name: "system:node:a", groups: ["system:authenticated"] }, ""],
    ["a member of the group of another name", { name: "jane", groups: ["system:nodes"] }, ""],
    [
      "one that says no name",
      { name: "system:node:", groups: ["system:nodes"] },
      'unknown node for user "system:node:"',
    ],
  ])("is not %s", (_, user, reason) => {
    expect(decide(ask("get", "/nodes", "", "a"), user)).toEqual({ allowed: false, reason });
  });

  it("may also have roles, and the refusal has both reasons", async () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "gone" };
    const subjects = [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:nodes" }];
    await server.create("clusterrolebindings", { metadata: { name: "b" }, roleRef, subjects });
    expect(decide(ask("list", "/nodes")).reason).toBe(
      `node 'a' cannot read all nodes, only its own Node object\nRBAC: clusterrole.rbac.authorization.k8s.io "gone" not found`,
    );
    const rules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["list"] }];
    await server.create("clusterroles", { metadata: { name: "gone" }, rules });
    expect(decide(ask("list", "/nodes")).allowed).toBe(true);
    expect(server.services.authorizer.rulesFor(node("a"), "ns")).toMatchObject({ incomplete: true, rules });
  });
});
