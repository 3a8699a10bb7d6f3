import type { Probe, Step } from "../probe.ts";
import { apply, get, merge, metadataList, metadataOnly, namespace, patch, post, put, remove, table } from "./wire.ts";

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly object: Readonly<Record<string, unknown>>;
}

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const rbac = "rbac.authorization.k8s.io/v1";

const kinds: readonly Kind[] = [
  { name: "configmaps", path: "/api/v1", object: { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } } },
  { name: "secrets", path: "/api/v1", object: { apiVersion: "v1", kind: "Secret", stringData: { a: "1" } } },
  { name: "serviceaccounts", path: "/api/v1", object: { apiVersion: "v1", kind: "ServiceAccount" } },
  { name: "pods", path: "/api/v1", object: { apiVersion: "v1", kind: "Pod", spec: template.spec } },
  {
    name: "leases",
    path: "/apis/coordination.k8s.io/v1",
    object: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec: { holderIdentity: "h" } },
  },
  { name: "roles", path: `/apis/${rbac}`, object: { apiVersion: rbac, kind: "Role", rules } },
];

/** An object from create to delete, with common mistakes of clients. */
function life({ name: plural, path, object }: Kind): Probe {
  const space = `life-${plural}`;
  const all = `${path}/namespaces/${space}/${plural}`;
  const one = `${all}/x`;
  const whole = (metadata: object = {}): object => ({ ...object, metadata: { name: "x", ...metadata } });
  const wrong: Step[] = [
    merge(one, { metadata: { name: "other" } }),
    merge(one, { metadata: { uid: "other" } }),
    merge(one, { metadata: { resourceVersion: "1" } }),
    merge(one, { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } }),
    merge(one, { metadata: { labels: { "!": "x" } } }),
    merge(one, { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "X", name: "n", uid: "" }] } }),
    merge(one, { metadata: "x" }),
    merge(one, { kind: "Other" }),
    merge(one, "[1]"),
    patch("strategic", one, "null"),
    patch("json", one, "{}"),
    merge(`${one}?fieldValidation=Strict`, { bogus: 1 }),
    merge(one, { bogus: 1 }),
    post(all, "{"),
    post(all, "null"),
    post(all, whole({ namespace: "other" })),
    post(all, whole({ resourceVersion: "5" })),
    post(all, { ...object, metadata: { name: "Bad_Name" }, kind: "Other" }),
    post(`${all}?dryRun=Some`, whole()),
    remove(one, { propagationPolicy: "Sideways" }),
    remove(one, { preconditions: { uid: "other" } }),
  ];
  return {
    name: `the life of ${plural}`,
    steps: [
      namespace(space),
      get(one),
      merge(one, {}),
      post(`${all}?dryRun=All`, whole()),
      post(all, whole({ labels: { l: "1" } }), { as: "first" }),
      post(all, whole()),
      ...[table, metadataOnly, metadataList, "application/yaml", "text/html"].flatMap((accept) => [
        get(one, { accept }),
        get(all, { accept }),
      ]),
      get(`${all}?watch=true&timeoutSeconds=1`, { accept: "application/yaml" }),
      put(one, "{{first}}"),
      put(`${one}?fieldManager=second`, whole({ labels: { l: "1", m: "2" } })),
      merge(`${one}?fieldManager=third`, { metadata: { annotations: { a: "1" } } }),
      apply(one, "fourth", { ...whole({ annotations: { b: "2" } }), ...object }),
      apply(one, "fifth", whole({ annotations: { b: "3" } })),
      apply(one, "fifth", whole({ annotations: { b: "3" } }), true),
      apply(one, "fourth", whole()),
      ...wrong,
      put(all, whole()),
      merge(all, {}),
      remove(`${path}/${plural}`),
      merge(one, { metadata: { managedFields: [{}] } }),
      merge(one, { metadata: { finalizers: ["a.b/c"] } }),
      remove(`${one}?propagationPolicy=Orphan`),
      merge(one, { metadata: { finalizers: ["a.b/c", "d.e/f"] } }),
      get(one),
      merge(one, { metadata: { finalizers: null } }),
      get(`${all}?watch=true&timeoutSeconds=1&resourceVersion={{first.metadata.resourceVersion}}`),
      remove(one),
    ],
  };
}

export const writes: readonly Probe[] = kinds.map(life);
