import type { Probe } from "../probe.ts";
import { apply, get, merge, namespace, patch, post, put, remove, table } from "./wire.ts";

const space = "pods";
const all = `/api/v1/namespaces/${space}/pods`;
const container = { name: "c", image: "i" };
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const placed = { nodeName: "node", terminationGracePeriodSeconds: 20 };

const specs: readonly object[] = [
  { containers: [] },
  { containers: [container, container] },
  { containers: [{ ...container, resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }] },
  { containers: [{ ...container, resources: { requests: { cpu: "x" } } }] },
  { containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/a" }] }] },
  { volumes: [{ name: "v", configMap: { name: "m" }, hostPath: { path: "/" } }] },
  { restartPolicy: "x" },
  { terminationGracePeriodSeconds: -5 },
  { hostPID: true, shareProcessNamespace: true },
  { priorityClassName: "system-node-critical" },
  { containers: [{ ...container, ports: [{ containerPort: 80 }] }], hostNetwork: true },
];

export const pods: readonly Probe[] = [
  {
    name: "life of a pod",
    steps: [
      namespace(space),
      ...specs.map((spec) => post(`${all}?dryRun=All`, pod("v", spec))),
      post(all, pod("one", placed), { as: "one" }),
      put(`${all}/one`, pod("one", placed, { labels: { l: "1" } })),
      patch("strategic", `${all}/one`, { spec: { containers: [{ name: "c", image: "j" }] } }),
      patch("strategic", `${all}/one`, { spec: { containers: [{ name: "d", image: "j" }] } }),
      patch("strategic", `${all}/one/status?fieldManager=kubelet`, {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }], podIP: "10.0.0.1" },
      }),
      apply(`${all}/one/status`, "other", { apiVersion: "v1", kind: "Pod", status: { message: "hi" } }),
      get(`${all}/one`, { accept: table }),
      get(`${all}?fieldSelector=spec.nodeName%3Dnode,status.phase%3DRunning`),
      remove(`${all}/one`),
      remove(`${all}/one?gracePeriodSeconds=30`),
      remove(`${all}/one?gracePeriodSeconds=5`),
      merge(`${all}/one`, { metadata: { finalizers: ["a.b/c"] } }),
      remove(`${all}/one?gracePeriodSeconds=0`),
      get(`${all}/one`),
      post(all, pod("two", placed, { finalizers: ["a.b/c"] })),
      remove(`${all}/two?gracePeriodSeconds=-1`),
      remove(`${all}/two?gracePeriodSeconds=0`),
      merge(`${all}/two`, { metadata: { finalizers: null } }),
      post(all, pod("three")),
      remove(`${all}/three`),
      post(all, pod("four", placed)),
      merge(`${all}/four/status`, { status: { phase: "Succeeded" } }),
      remove(`${all}/four`),
      get(`${all}?watch=true&timeoutSeconds=1&resourceVersion={{one.metadata.resourceVersion}}`),
    ],
  },
];
