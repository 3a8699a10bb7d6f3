import type { Probe, Step } from "../probe.ts";
import { get, merge, namespace, post, put, remove, table } from "./wire.ts";

const space = "volumes";
const claims = `/api/v1/namespaces/${space}/persistentvolumeclaims`;
const volumes = "/api/v1/persistentvolumes";
const basic = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
const hostPath = { path: "/x" };
const csi = { driver: "d.example", volumeHandle: "h" };
const terms = [{ matchExpressions: [{ key: "a", operator: "Exists" }] }];
const nodeAffinity = { required: { nodeSelectorTerms: terms } };
const volume = (name: string, spec: object, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, ...metadata },
  spec,
});
const asked = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const claim = (name: string, spec: object): object => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name },
  spec,
});

const specs: readonly object[] = [
  {},
  basic,
  { ...basic, hostPath: {} },
  { ...basic, hostPath: { path: "/a/../b", type: "Odd" } },
  { ...basic, hostPath, csi },
  { ...basic, hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" },
  { ...basic, hostPath, persistentVolumeReclaimPolicy: "Odd", volumeMode: "Odd", storageClassName: "Odd_" },
  { ...basic, hostPath, accessModes: ["Odd", "ReadWriteOncePod", "ReadOnlyMany"] },
  { ...basic, hostPath, capacity: { storage: "0", memory: "1" } },
  { ...basic, hostPath, capacity: { storage: "-1" } },
  { ...basic, hostPath, volumeAttributesClassName: "a" },
  { ...basic, csi: { driver: "Odd_" }, volumeAttributesClassName: "" },
  { ...basic, csi: { ...csi, nodePublishSecretRef: { name: "s" } } },
  { ...basic, local: {} },
  { ...basic, local: { path: "/x" }, nodeAffinity: {} },
  { ...basic, local: { path: "/x" }, nodeAffinity: { required: { nodeSelectorTerms: [] } } },
  { ...basic, local: { path: "/x" }, nodeAffinity },
  { ...basic, nfs: { server: "s", path: "x" } },
  { ...basic, nfs: {} },
];

const changes: readonly object[] = [
  { hostPath: { path: "/y" } },
  { hostPath: null, csi },
  { volumeMode: "Block" },
  { nodeAffinity },
  { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "b", operator: "Exists" }] }] } } },
  { capacity: { storage: "2Gi" }, persistentVolumeReclaimPolicy: "Delete" },
  { claimRef: { namespace: space, name: "c", uid: "u" } },
];

const claimed: readonly object[] = [
  { resources: { requests: { storage: "2Gi" } } },
  { resources: { requests: { storage: "512Mi" } } },
  { volumeMode: "Block" },
  { accessModes: ["ReadOnlyMany"] },
  { selector: { matchLabels: { a: "b" } } },
  { volumeAttributesClassName: "a" },
];

export const storage: readonly Probe[] = [
  {
    name: "volumes and claims",
    steps: [
      namespace(space),
      ...specs.map((spec): Step => post(`${volumes}?dryRun=All`, volume("v", spec))),
      post(volumes, volume("one", { ...basic, hostPath }), { as: "one" }),
      ...changes.map((spec) => merge(`${volumes}/one`, { spec })),
      merge(`${volumes}/one/status`, { status: { phase: "Available" } }),
      merge(`${volumes}/one/status`, { status: { message: "m", reason: "R" } }),
      merge(`${volumes}/one/status`, { status: { phase: "Bound", lastPhaseTransitionTime: "2020-01-01T00:00:00Z" } }),
      merge(`${volumes}/one`, { status: { phase: "Failed" } }),
      get(`${volumes}/one`, { accept: table }),
      get(`${volumes}?fieldSelector=name%3Done`),
      remove(`${volumes}/one`),
      get(`${volumes}/one`, { accept: table }),
      merge(`${volumes}/one`, { metadata: { finalizers: null } }),
      post("/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "fast" },
        provisioner: "p.example",
        allowVolumeExpansion: true,
      }),
      post(claims, claim("c", asked)),
      ...claimed.map((spec) => merge(`${claims}/c`, { spec })),
      post(claims, claim("unclassed", { ...asked, storageClassName: "" })),
      merge(`${claims}/unclassed/status`, { status: { phase: "Bound" } }),
      merge(`${claims}/unclassed`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
      merge(`${claims}/c`, { spec: { volumeName: "one" } }),
      merge(`${claims}/c`, { spec: { volumeName: "two" } }),
      merge(`${claims}/c`, { spec: { storageClassName: "fast" } }),
      merge(`${claims}/c`, { spec: { storageClassName: "slow" } }),
      merge(`${claims}/c/status`, {
        status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
      }),
      ...claimed.map((spec) => merge(`${claims}/c`, { spec })),
      merge(`${claims}/c`, { spec: { resources: { requests: { storage: "3Gi" } } } }),
      merge(`${claims}/c`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
      merge(`${claims}/c`, { spec: { resources: { requests: { storage: "1Gi" } } } }),
      merge(`${claims}/c`, { spec: { resources: { limits: { storage: "9Gi" } } } }),
      merge(`${claims}/c/status`, { status: { capacity: { storage: "-1" } } }),
      put(`${claims}/c`, claim("c", asked)),
      get(`${claims}/c`, { accept: table }),
      remove(`${claims}/c`),
    ],
  },
];
