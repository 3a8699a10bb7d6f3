import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Authorizer, User } from "../../auth/user.ts";
import { SmallServer, type Target } from "../../testing/small-server.ts";
import type { Attributes } from "../admission.ts";
import { nodeRestriction } from "./node-restriction.ts";

const a: User = { name: "system:node:a", groups: ["system:nodes"] };
const ns = "ns";
let server: SmallServer;
let uid: string;

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespacesForPods(ns, "kube-node-lease");
  uid = (await server.create("nodes", { metadata: { name: "a" } }, { user: a })).metadata.uid ?? "";
  await server.create("nodes", { metadata: { name: "b" } });
  for (const node of ["a", "b"])
    await server.create("pods", {
      metadata: { name: `on-${node}`, namespace: ns },
      spec: { nodeName: node, containers: [{ name: "c", image: "i" }] },
    });
});

const refused = (message: string) => ({ code: 403, message: expect.stringContaining(message) });
const status = (name: string, namespace = ""): Target => ({ name, namespace, subresource: "status", user: a });

describe("a node", () => {
  it("changes no node but itself, not even through its status", async () => {
    await expect(server.patch("nodes", status("b"), { status: { phase: "x" } })).rejects.toMatchObject(
      refused('node "a" is not allowed to modify node "b"'),
    );
    await expect(server.delete("nodes", { name: "b", user: a })).rejects.toMatchObject(
      refused("not allowed to modify"),
    );
    await server.patch("nodes", status("a"), { metadata: { labels: { mine: "1", "kubernetes.io/hostname": "a" } } });
    expect(server.get("nodes", { name: "a" }).metadata.labels).toMatchObject({ mine: "1" });
  });

  it.each([
    [{ metadata: { labels: { "node-role.kubernetes.io/master": "" } } }, "node-role.kubernetes.io/master"],
    [{ metadata: { labels: { "x.node-restriction.kubernetes.io/y": "", "a.k8s.io/b": "" } } }, "a.k8s.io/b, x.node-"],
    [{ metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "b", uid: "1" }] } }, "ownerReferences"],
    [{ spec: { taints: null } }, "taints"],
    [{ spec: { configSource: { configMap: {} } } }, "configSource"],
  ])("is refused %j, through its status too", async (change, why) => {
    for (const target of [status("a"), { name: "a", user: a }])
      await expect(server.patch("nodes", target, change)).rejects.toMatchObject(refused(why));
  });

  it("cannot remove a label that it may not set", async () => {
    await server.patch("nodes", { name: "a" }, { metadata: { labels: { "team.kubernetes.io/x": "1", free: "1" } } });
    await expect(
      server.patch("nodes", status("a"), { metadata: { labels: { "team.kubernetes.io/x": null } } }),
    ).rejects.toMatchObject(refused("team.kubernetes.io/x"));
    await server.patch("nodes", status("a"), { metadata: { labels: { free: null } } });
  });

  it("deletes, evicts and reports only its own pods", async () => {
    const on = (name: string): Target => ({ name, namespace: ns, user: a });
    await expect(server.delete("pods", on("on-b"))).rejects.toMatchObject(refused("can only delete pods"));
    // kube-apiserver also looks up a pod without a name.
    await expect(server.deleteCollection("pods", { namespace: ns, user: a })).rejects.toMatchObject({ code: 404 });
    expect(server.exists("pods", { namespace: ns, name: "on-b" })).toBe(true);
    await expect(server.patch("pods", on("on-a"), { metadata: { labels: { x: "y" } } })).rejects.toMatchObject(
      refused('unexpected operation "UPDATE", node "a" can only create and delete mirror pods'),
    );
    await expect(
      server.patch("pods", status("on-a", ns), { status: { resourceClaimStatuses: [{ name: "c" }] } }),
    ).rejects.toMatchObject(refused("cannot update resource claim statues"));
    await server.patch("pods", status("on-a", ns), { status: { phase: "Running" } });
    await server.delete("pods", on("on-a"), { gracePeriodSeconds: 0 });
  });

  it("cannot change the deletion of another node's pod", async () => {
    const other = { name: "on-b", namespace: ns };
    await server.delete("pods", other);
    const going = server.get("pods", other);
    await server.delete("pods", { ...other, user: a }, { propagationPolicy: "Orphan" });
    expect(server.get("pods", other)).toEqual(going);
    await expect(server.delete("pods", { ...other, user: a }, { gracePeriodSeconds: 0 })).rejects.toMatchObject(
      refused("can only delete pods"),
    );
  });

  it("reports the expansion of a claim, and nothing else", async () => {
    const claim = { name: "c", namespace: ns };
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await server.create("persistentvolumeclaims", { metadata: claim, spec });
    const patch = (change: object, target: Target = status("c", ns)) =>
      server.patch("persistentvolumeclaims", target, change);
    await patch({ status: { capacity: { storage: "1Gi" }, conditions: [{ type: "Resizing", status: "True" }] } });
    for (const change of [
      { metadata: { labels: { x: "y" } } },
      { metadata: { finalizers: null } },
      { status: { phase: "Lost" } },
    ])
      await expect(patch(change)).rejects.toMatchObject(refused("not allowed to update fields other than"));
    await expect(patch({ metadata: {} }, { ...claim, user: a })).rejects.toMatchObject(
      refused("may only update PVC status"),
    );
  });

  it("writes only its own lease", async () => {
    const lease = (name: string, namespace: string) =>
      server.create("leases", { metadata: { name, namespace } }, { user: a });
    await lease("a", "kube-node-lease");
    await expect(lease("b", "kube-node-lease")).rejects.toMatchObject(refused("same name as the requesting node"));
    await expect(lease("a", ns)).rejects.toMatchObject(refused('"kube-node-lease" system namespace'));
  });

  const mirror = (spec: object): Promise<KubeObject> =>
    server.create(
      "pods",
      {
        metadata: {
          name: "m",
          namespace: ns,
          annotations: { "kubernetes.io/config.mirror": "x" },
          ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "a", uid, controller: true }],
        },
        spec: { nodeName: "a", containers: [{ name: "c", image: "i" }], ...spec },
      },
      { user: a },
    );
  const inVolume = (source: object): object => ({ volumes: [{ name: "v", ...source }] });

  it.each([
    [inVolume({ configMap: { name: "x" } }), "configmaps"],
    [inVolume({ csi: { driver: "d" } }), "csidrivers (via CSI volumes)"],
    [inVolume({ persistentVolumeClaim: { claimName: "x" } }), "persistentvolumeclaims"],
    [inVolume({ projected: { sources: [{ clusterTrustBundle: { path: "p", name: "n" } }] } }), "clustertrustbundles"],
    [{ resourceClaims: [{ name: "r", resourceClaimName: "x" }] }, "resourceclaims"],
  ])("shows no pod of its own that refers to anything: %j", async (spec, what) => {
    await expect(mirror(spec)).rejects.toMatchObject(refused(`can not create pods that reference ${what}`));
  });

  it("creates a mirror pod that refers to no API object", async () => {
    await mirror(inVolume({ hostPath: { path: "/" } }));
    expect(server.exists("pods", { namespace: ns, name: "m" })).toBe(true);
  });
});

describe("a token for a node", () => {
  const denyAll: Authorizer = { authorize: () => ({ allowed: false, reason: "" }) };
  const ask = (spec: object, authorizer = denyAll): void => {
    const attributes = {
      operation: "CREATE",
      resource: server.resource("serviceaccounts"),
      subresource: "token",
      namespace: ns,
      name: "default",
      object: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec },
      user: a,
    } as unknown as Attributes;
    const plugin = nodeRestriction(server.services.reader, authorizer);
    void plugin.admit?.(attributes);
  };
  const bound = (name: string, more: object = {}): object => ({
    boundObjectRef: {
      apiVersion: "v1",
      kind: "Pod",
      name,
      uid: server.services.reader.head("pods", `${ns}/${name}`)?.metadata.uid,
      ...more,
    },
  });

  it("must be bound to a pod of that node", () => {
    expect(() => ask({})).toThrow("not bound to a pod");
    expect(() => ask({ boundObjectRef: { apiVersion: "v1", kind: "Node", name: "a", uid } })).toThrow("not bound to");
    expect(() => ask(bound("on-a", { uid: "" }))).toThrow("without a uid");
    expect(() => ask(bound("on-a", { uid: "1" }))).toThrow("does not match the UID in record");
    expect(() => ask(bound("on-b"))).toThrow("a different node");
    expect(() => ask(bound("none", { uid: "1" }))).toThrow('pods "none" not found');
    ask(bound("on-a"));
  });

  it("has an audience that the pod names or a role allows", () => {
    const towards = (...audiences: string[]): object => ({ ...bound("on-a"), audiences });
    expect(() => ask(towards("vault"))).toThrow('audience "vault" not found in pod spec volume');
    expect(() => ask(towards("x", "y"))).toThrow("0 or 1 audiences");
    ask(towards("vault"), {
      authorize: (_, attributes) => ({
        allowed: attributes.verb === "request-serviceaccounts-token-audience",
        reason: "",
      }),
    });
  });
});
