import type { Probe, Step } from "../probe.ts";
import { get, namespace, post, put, remove } from "./wire.ts";

const space = "access";
const inside = `/api/v1/namespaces/${space}`;
const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${space}`;
const reviews = "/apis/authorization.k8s.io/v1";
const group = "rbac.authorization.k8s.io";
const bob = { headers: { "impersonate-user": "bob" } };
const asBob = (step: Step): Step => ({ ...step, ...bob });
const rule = (resources: string[], verbs: string[], resourceNames?: string[]): object => ({
  apiGroups: ["", group],
  resources,
  verbs,
  ...(resourceNames ? { resourceNames } : {}),
});
const questions: readonly object[] = [
  { resourceAttributes: { verb: "get", resource: "configmaps", namespace: space } },
  { resourceAttributes: { verb: "delete", resource: "configmaps", namespace: space } },
  { nonResourceAttributes: { path: "/api", verb: "get" } },
  {},
];

export const access: readonly Probe[] = [
  {
    name: "roles, bindings and access reviews",
    steps: [
      namespace(space),
      post(`${roles}/roles`, {
        metadata: { name: "r" },
        rules: [
          rule(["configmaps"], ["get", "list", "create"]),
          rule(["secrets"], ["list", "watch", "get"], ["s1"]),
          rule(["roles", "rolebindings"], ["*"]),
        ],
      }),
      post(`${roles}/rolebindings`, {
        metadata: { name: "b" },
        roleRef: { apiGroup: group, kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "bob" },
          { kind: "ServiceAccount", name: "sa", namespace: space },
        ],
      }),
      ...[
        get(`${inside}/configmaps`),
        get(`${inside}/configmaps/x`),
        remove(`${inside}/configmaps/x`),
        get(`${inside}/secrets`),
        get(`${inside}/secrets?fieldSelector=metadata.name%3Ds1`),
        get(`${inside}/secrets?fieldSelector=metadata.name%3Ds2`),
        get(`${inside}/secrets?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Ds1`),
        get("/api/v1/nodes"),
        get("/healthz"),
        get("/bogus"),
        post(`${roles}/roles`, { metadata: { name: "more" }, rules: [rule(["pods"], ["get"])] }),
        post(`${roles}/roles`, { metadata: { name: "less" }, rules: [rule(["configmaps"], ["get"])] }),
        ...questions.map((spec) => post(`${reviews}/selfsubjectaccessreviews`, { spec })),
      ].map(asBob),
      put(`${roles}/rolebindings/b`, {
        metadata: { name: "b" },
        roleRef: { apiGroup: group, kind: "Role", name: "q" },
      }),
      ...questions.flatMap((spec) => [
        post(`${reviews}/subjectaccessreviews`, { spec: { ...spec, user: "bob" } }),
        post(`${reviews}/namespaces/${space}/localsubjectaccessreviews`, { spec: { ...spec, user: "bob" } }),
      ]),
      post(`${inside}/serviceaccounts`, { metadata: { name: "sa" } }),
      post(`${inside}/serviceaccounts/sa/token`, { spec: { expirationSeconds: 600 } }, { as: "given" }),
      post(`${inside}/serviceaccounts/sa/token`, { spec: { expirationSeconds: 5 } }),
      post(`${inside}/serviceaccounts/absent/token`, {}),
      get(`${inside}/configmaps`, { headers: { authorization: "Bearer {{given.status.token}}" } }),
      get(`${inside}/secrets`, { headers: { authorization: "Bearer {{given.status.token}}" } }),
      get(`${inside}/configmaps`, { headers: { authorization: "Bearer bogus" } }),
      post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "bogus" } }),
    ],
  },
];
