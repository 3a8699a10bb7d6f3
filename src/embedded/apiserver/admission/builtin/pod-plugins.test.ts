import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { SmallServer } from "../../testing/small-server.ts";

let server: SmallServer;
beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespacesForPods("ns");
});

const pod = (spec: object = {}, metadata: object = {}): Promise<KubeObject> =>
  server.create("pods", {
    metadata: { name: "p", namespace: "ns", ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });

describe("the account of a pod", () => {
  it("mounts a token that no field manager owns", async () => {
    const { spec, metadata } = await pod();
    expect(spec).toMatchObject({
      serviceAccountName: "default",
      serviceAccount: "default",
      volumes: [{ projected: {} }],
    });
    expect(JSON.stringify(metadata.managedFields)).not.toContain("kube-api-access");
  });

  it("is found before its creation is committed", async () => {
    const account = server.create("serviceaccounts", { metadata: { name: "new", namespace: "ns" } });
    const made = pod({ serviceAccountName: "new" });
    await expect(Promise.all([account, made])).resolves.toHaveLength(2);
  });

  it("must exist", async () => {
    await server.delete("serviceaccounts", { namespace: "ns", name: "default" });
    await expect(pod({}, { name: undefined, generateName: "g-" })).rejects.toMatchObject({
      code: 403,
      message:
        'pods "g-" is forbidden: error looking up service account ns/default: serviceaccount "default" not found',
      details: { name: "g-", kind: "pods" },
    });
  });

  it("does not change an existing pod", async () => {
    const { spec } = await pod();
    const account = { namespace: "ns", name: "default" };
    await server.patch("serviceaccounts", account, { automountServiceAccountToken: false });
    await server.patch("pods", { namespace: "ns", name: "p" }, { metadata: { labels: { x: "y" } } });
    expect(server.get("pods", { namespace: "ns", name: "p" }).spec).toEqual(spec);
  });
});

describe("the runtime of a pod", () => {
  const tolerations = (spec: unknown): unknown => (spec as { tolerations: unknown }).tolerations;
  const make = (scheduling: object): Promise<KubeObject> =>
    server.create("runtimeclasses", { metadata: { name: "r" }, handler: "h", scheduling });

  it("adds no toleration that another includes", async () => {
    await make({
      tolerations: [
        { key: "k", operator: "Equal", value: "v", effect: "NoExecute" },
        { key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
        { key: "same", operator: "Exists" },
      ],
    });
    const { spec } = await pod({
      runtimeClassName: "r",
      tolerations: [
        { key: "same", operator: "Exists" },
        { key: "k", operator: "Exists", effect: "NoSchedule" },
      ],
    });
    expect(tolerations(spec)).toEqual([
      { key: "same", operator: "Exists" },
      { key: "k", operator: "Exists", effect: "NoSchedule" },
      expect.objectContaining({ key: "node.kubernetes.io/not-ready" }),
      expect.objectContaining({ key: "node.kubernetes.io/unreachable" }),
      { key: "k", operator: "Equal", value: "v", effect: "NoExecute" },
      { key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
    ]);
  });

  it("keeps only the widest toleration", async () => {
    await make({ tolerations: [{ operator: "Exists" }] });
    expect(tolerations((await pod({ runtimeClassName: "r" })).spec)).toEqual([{ operator: "Exists" }]);
  });

  it("is not changed by the pods it schedules", async () => {
    await make({ nodeSelector: { a: "1" } });
    const { spec } = await pod({ runtimeClassName: "r", nodeSelector: { b: "2" } });
    expect(spec).toMatchObject({ nodeSelector: { a: "1", b: "2" } });
    expect(server.get("runtimeclasses", { name: "r" }).scheduling).toEqual({ nodeSelector: { a: "1" } });
  });
});

describe("the default class of a claim", () => {
  const storageClass = (name: string, isDefault: string): Promise<KubeObject> =>
    server.create("storageclasses", {
      metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": isDefault } },
      provisioner: "p",
    });
  const claim = async (name: string, metadata: object = {}): Promise<unknown> => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const made = await server.create("persistentvolumeclaims", {
      metadata: { name, namespace: "ns", ...metadata },
      spec,
    });
    return (made.spec as { storageClassName?: string }).storageClassName;
  };

  it("is the newest default class, then the first by name", async () => {
    expect(await claim("zero")).toBeUndefined();
    await storageClass("never", "false");
    await storageClass("old", "true");
    expect(await claim("one")).toBe("old");
    await server.clock.advance(1000);
    await storageClass("young-b", "true");
    await storageClass("young-a", "true");
    expect(await claim("two")).toBe("young-a");
    expect(await claim("three", { annotations: { "volume.beta.kubernetes.io/storage-class": "x" } })).toBeUndefined();
  });
});
