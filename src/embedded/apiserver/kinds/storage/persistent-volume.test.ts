import { beforeEach, describe, expect, it } from "vitest";
import { SmallServer } from "../../testing/small-server.ts";
import { persistentVolume } from "./persistent-volume.ts";
import { create, row, update } from "../testing/run-strategy.ts";

const basic = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
const hostPath = { path: "/x" };
const csi = { driver: "d.example", volumeHandle: "h" };
const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }] } };

describe("a volume", () => {
  it("gets its defaults and the protection finalizer", () => {
    const { object, faults } = create(persistentVolume, { spec: { ...basic, hostPath } });
    expect(faults).toEqual([]);
    expect(object).toMatchObject({
      metadata: { finalizers: ["kubernetes.io/pv-protection"] },
      spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", hostPath: { path: "/x", type: "" } },
      status: { phase: "Pending", lastPhaseTransitionTime: "1970-01-01T00:00:00Z" },
    });
  });

  it.each([
    [basic, ["spec: Required value: must specify a volume type"]],
    [{ ...basic, hostPath, csi }, ["spec.csi: Forbidden: may not specify more than 1 volume type"]],
    [{ ...basic, hostPath, capacity: {} }, ["spec.capacity: Required value", /^spec\.capacity: Unsupported value/]],
    [{ ...basic, hostPath, capacity: { storage: "0" } }, [/^spec\.capacity\[storage\]: .*must be greater than zero/]],
    [{ ...basic, hostPath, accessModes: [] }, ["spec.accessModes: Required value"]],
    [{ ...basic, hostPath: { path: "/a/../b" } }, [/^spec\.hostPath\.path: .*must not contain '\.\.'/]],
    [
      { ...basic, hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" },
      [/may not be 'recycle' for a hostPath mount of '\/'/],
    ],
    [{ ...basic, local: { path: "/x" } }, ["spec.nodeAffinity: Required value: Local volume requires node affinity"]],
    [{ ...basic, csi: { driver: "d" } }, ["spec.csi.volumeHandle: Required value"]],
    [{ ...basic, nfs: { server: "s", path: "x" } }, [/^spec\.nfs\.path: .*must be an absolute path/]],
    [
      { ...basic, hostPath, volumeAttributesClassName: "a" },
      ["spec.csi: Required value: has to be specified when using volumeAttributesClassName"],
    ],
  ])("is refused with %j", (spec, expected) => {
    const { faults } = create(persistentVolume, { spec });
    expect(faults).toHaveLength(expected.length);
    for (const [index, words] of expected.entries()) expect(faults[index]).toMatch(words);
  });

  it("has an immutable source", () => {
    const { object } = create(persistentVolume, { spec: { ...basic, csi, nodeAffinity } });
    const change = (spec: object) => update(persistentVolume, object, { spec: { ...spec } }).faults;
    expect(change({ csi: { volumeHandle: "other" } })).toEqual([
      "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation",
    ]);
    expect(change({ volumeMode: "Block" })).toEqual(['volumeMode: Invalid value: "Block": field is immutable']);
    expect(change({ nodeAffinity: null }).join()).toContain("nodeAffinity: Invalid value");
    expect(change({ csi: { controllerExpandSecretRef: { name: "s", namespace: "n" } } })).toEqual([]);
    expect(change({ capacity: { storage: "2Gi" }, claimRef: { name: "c" } })).toEqual([]);
  });

  it("shows its claim", () => {
    const spec = { ...basic, hostPath, storageClassName: "fast", claimRef: { namespace: "a", name: "c" } };
    expect(row(persistentVolume, create(persistentVolume, { spec }).object)).toMatchObject({
      Capacity: "1Gi",
      "Access Modes": "RWO",
      "Reclaim Policy": "Retain",
      Status: "Pending",
      Claim: "a/c",
      StorageClass: "fast",
      VolumeAttributesClass: "<unset>",
    });
  });
});

describe("the phase of a volume", () => {
  let server: SmallServer;
  const target = { name: "v", subresource: "status" };
  const since = async (status: object) =>
    ((await server.patch("persistentvolumes", target, { status })).status as { lastPhaseTransitionTime: string })
      .lastPhaseTransitionTime;
  beforeEach(async () => {
    server = new SmallServer();
    await server.create("persistentvolumes", { metadata: { name: "v" }, spec: { ...basic, hostPath } });
    await server.clock.advance(60_000);
  });

  it("sets the transition time only when it changes", async () => {
    expect(await since({ message: "m" })).toBe("2026-01-01T00:00:00Z");
    expect(await since({ phase: "Available" })).toBe("2026-01-01T00:01:00Z");
  });

  it("keeps a transition time that the writer sets", async () => {
    expect(await since({ phase: "Bound", lastPhaseTransitionTime: "2020-01-01T00:00:00Z" })).toBe(
      "2020-01-01T00:00:00Z",
    );
  });
});

describe("a claim", () => {
  const claim = { namespace: "a", name: "c" };
  let server: SmallServer;
  const ask = (storage: string) =>
    server.patch("persistentvolumeclaims", claim, { spec: { resources: { requests: { storage } } } });
  const bind = () =>
    server.patch(
      "persistentvolumeclaims",
      { ...claim, subresource: "status" },
      { status: { phase: "Bound", capacity: { storage: "2Gi" } } },
    );
  beforeEach(async () => {
    server = new SmallServer();
    await server.createNamespaces("a");
    for (const [name, allowVolumeExpansion] of [
      ["grows", true],
      ["stays", false],
    ] as const)
      await server.create("storageclasses", { metadata: { name }, provisioner: "p.example", allowVolumeExpansion });
    const resources = { requests: { storage: "2Gi" } };
    const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "grows", resources };
    await server.create("persistentvolumeclaims", { metadata: { ...claim }, spec });
  });

  it("can grow once it is bound, if its class allows it, and shrink back to its capacity", async () => {
    await expect(ask("3Gi")).rejects.toThrow("spec is immutable after creation");
    await bind();
    await ask("4Gi");
    await ask("3Gi");
    await expect(ask("2Gi")).rejects.toThrow("field can not be less than status.capacity");
  });

  it("cannot grow if its class does not allow it", async () => {
    await bind();
    await server.patch("storageclasses", { name: "grows" }, { allowVolumeExpansion: false });
    await expect(ask("4Gi")).rejects.toThrow("the storageclass that provisions the pvc must support resize");
  });
});
