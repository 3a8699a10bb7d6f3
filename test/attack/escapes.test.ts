import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sent } from "./client.ts";
import { expectStatus, expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const core = "/api/v1/namespaces/default";
const apiGroup = "rbac.authorization.k8s.io";

let victim: Victim;
/** Sends requests as eve, by impersonation, with exactly her rights. */
const eve: Sent = { headers: { "impersonate-user": "eve" } };

beforeAll(async () => {
  victim = await startVictim();
  await grant("eve-reads", [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["configmaps"] }]);
  await victim.admin.post(`${core}/secrets`, { metadata: { name: "secret" }, stringData: { password: "hunter2" } });
  await victim.admin.post(`${core}/configmaps`, { metadata: { name: "open" } });
  await victim.admin.post(`${core}/serviceaccounts`, { metadata: { name: "robot" } });
});
afterEach(() => expectUnharmed(victim));
afterAll(() => victim.close());

/** Grants eve rules cluster-wide. */
async function grant(name: string, rules: object[]): Promise<void> {
  expect((await victim.admin.post(`${rbac}/clusterroles`, { metadata: { name }, rules })).status).toBe(201);
  const binding = {
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name },
    subjects: [{ kind: "User", name: "eve", apiGroup }],
  };
  expect((await victim.admin.post(`${rbac}/clusterrolebindings`, binding)).status).toBe(201);
}

describe("secrets, for a user who may read ConfigMaps", () => {
  it.each([
    "application/json",
    "application/yaml",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  ])("are not to be had as %s", async (accept) => {
    for (const path of [
      `${core}/secrets`,
      `${core}/secrets/secret`,
      "/api/v1/secrets",
      `${core}/secrets?watch=true`,
      `${core}/secrets/secret?watch=true`,
    ]) {
      const received = await victim.admin.get(path, { headers: { ...eve.headers, accept } });
      expect(received.status).toBe(403);
      expect(received.text).toMatch(/kind"?: ?"?Status/);
      expect(received.text).not.toContain("aHVudGVyMg");
    }
  });

  it.each([
    `${core}/configmaps/../secrets/secret`,
    `${core}/configmaps/%2e%2e/secrets/secret`,
    `${core}/configmaps%2f..%2fsecrets/secret`,
    `${core}/configmaps/open/../../secrets/secret`,
    `${core}//secrets/secret`,
    `/api/v1//namespaces/default/secrets/secret`,
    `//api/v1/namespaces/default/secrets/secret`,
    `${core}/Secrets/secret`,
    `${core}/secrets./secret`,
    `${core}/secret%73/secret`,
    `${core}/secrets/secret/`,
    `${core}/secrets/secret/status`,
    `${core}/secrets/secret%00`,
    `/api/v1/namespaces/default/configmaps/open/secrets/secret`,
    `/api/v1/namespaces/default%2Fsecrets/secret`,
    `/api/v1/watch/namespaces/default/secrets`,
    `/api/v1/proxy/namespaces/default/secrets/secret`,
    `/apis//v1/namespaces/default/secrets/secret`,
    `/apis/core/v1/namespaces/default/secrets/secret`,
    `${core}/configmaps/open?resource=secrets&name=secret`,
    `${core}/configmaps?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"../secrets/default/secret\\u0000"}').toString("base64url")}`,
  ])("are not to be had by way of %s", async (path) => {
    const { status, text } = await victim.admin.get(path, eve);
    expect(text).not.toContain("aHVudGVyMg");
    expect(status).not.toBe(500);
  });

  it("stay as they are, whatever is sent", async () => {
    for (const [method, path, sent] of [
      ["PUT", `${core}/secrets/secret`, { body: { metadata: { name: "secret" } } }],
      ["PATCH", `${core}/secrets/secret`, { body: {}, type: "application/merge-patch+json" }],
      ["PATCH", `${core}/secrets/secret?fieldManager=e`, { body: {}, type: "application/apply-patch+yaml" }],
      ["DELETE", `${core}/secrets/secret`, {}],
      ["DELETE", `${core}/secrets`, {}],
      ["POST", `${core}/secrets`, { body: { metadata: { name: "x" } } }],
      ["POST", `${core}/secrets?dryRun=All`, { body: { metadata: { name: "x" } } }],
      ["POST", `${core}/serviceaccounts/robot/token`, { body: {} }],
      ["GET", `${core}/serviceaccounts/robot`, {}],
    ] as [string, string, Sent][])
      expectStatus(await victim.admin.send(method, path, { ...sent, ...eve }), 403, "Forbidden");
  });
});

describe("impersonation", () => {
  let token: string;
  beforeAll(async () => {
    const { json } = await victim.admin.post(`${core}/serviceaccounts/robot/token`, {});
    ({ token } = json.status as { token: string });
    const binding = {
      metadata: { name: "robot" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "eve-reads" },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
    };
    await victim.admin.post(`${rbac}/clusterrolebindings`, binding);
  });

  it("of oneself is allowed", async () => {
    expect((await victim.admin.get(`${core}/configmaps`, { token })).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ["an admin", { "impersonate-user": "admin" }],
    ["the admins' group", { "impersonate-user": "eve", "impersonate-group": "system:masters" }],
    ["the admins' group, differently written", { "IMPERSONATE-USER": "eve", "Impersonate-Group": "system:masters" }],
    ["another service account", { "impersonate-user": "system:serviceaccount:kube-system:default" }],
    ["a node", { "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes" }],
    [
      "oneself in another group",
      { "impersonate-user": "system:serviceaccount:default:robot", "impersonate-group": "system:masters" },
    ],
    ["a uid", { "impersonate-user": "system:serviceaccount:default:robot", "impersonate-uid": "1" }],
    ["an extra", { "impersonate-user": "system:serviceaccount:default:robot", "impersonate-extra-scopes": "all" }],
    [
      "an extra called __proto__",
      { "impersonate-user": "system:serviceaccount:default:robot", "impersonate-extra-__proto__": "all" },
    ],
  ])("%s is refused", async (_, headers) => {
    expectStatus(await victim.admin.get(`${core}/configmaps`, { token, headers }), 403, "Forbidden");
  });

  it.each<[string, Record<string, string>]>([
    ["a group without a user", { "impersonate-group": "system:masters" }],
    ["a uid without a user", { "impersonate-uid": "1" }],
    ["an extra without a user", { "impersonate-extra-x": "1" }],
  ])("%s is a bad request", async (_, headers) => {
    expectStatus(await victim.admin.get(`${core}/configmaps`, { token, headers }), 400, "BadRequest");
  });

  it("rights for one user do not extend to others", async () => {
    await victim.admin.post(`${rbac}/clusterroles`, {
      metadata: { name: "be-bob" },
      rules: [{ verbs: ["impersonate"], apiGroups: [""], resources: ["users"], resourceNames: ["bob"] }],
    });
    await victim.admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "be-bob" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "be-bob" },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
    });
    const as = (headers: Record<string, string>): Promise<unknown> =>
      victim.admin
        .post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { token, headers })
        .then(({ status, json }) => (status === 201 ? (json.status as { userInfo: unknown }).userInfo : status));
    expect(await as({ "impersonate-user": "bob" })).toMatchObject({
      username: "bob",
      groups: ["system:authenticated"],
    });
    expect(await as({ "impersonate-user": "Bob" })).toBe(403);
    expect(await as({ "impersonate-user": "bob\u00a0" })).toBe(403);
    expect(await as({ "impersonate-user": "bob", "impersonate-group": "system:masters" })).toBe(403);
    expect(await as({ "impersonate-user": "bob", "impersonate-uid": "0" })).toBe(403);
  });

  it("a token needs the right audience, time, signature and account", async () => {
    const path = `${core}/serviceaccounts/robot/token`;
    const other = (await victim.admin.post(path, { spec: { audiences: ["vault"] } })).json.status as { token: string };
    expectStatus(await victim.admin.get(`${core}/configmaps`, { token: other.token }), 401, "Unauthorized");
    const [head, body, signature] = token.split(".") as [string, string, string];
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    const forged = (head: unknown, claims: unknown, signature: string): string =>
      `${Buffer.from(JSON.stringify(head)).toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`;
    const heading = JSON.parse(Buffer.from(head, "base64url").toString()) as Record<string, unknown>;
    for (const bad of [
      forged({ ...heading, alg: "none" }, claims, ""),
      forged({ ...heading, alg: "none" }, claims, signature),
      forged({ ...heading, alg: "HS256" }, claims, signature),
      forged(heading, { ...claims, exp: 9_999_999_999 }, signature),
      forged(heading, { ...claims, sub: "system:serviceaccount:kube-system:admin" }, signature),
      `${head}.${body}.${signature.slice(0, -4)}`,
      `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${token}.x`,
    ])
      expectStatus(await victim.admin.get(`${core}/configmaps`, { token: bad }), 401, "Unauthorized");

    const mine = { metadata: { name: "short-lived" } };
    await victim.admin.post(`${core}/serviceaccounts`, mine);
    const old = (
      (await victim.admin.post(`${core}/serviceaccounts/short-lived/token`, {})).json.status as { token: string }
    ).token;
    const whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    expect((await victim.admin.post(whoami, {}, { token: old })).status).toBe(201);
    await victim.admin.delete(`${core}/serviceaccounts/short-lived`);
    expectStatus(await victim.admin.post(whoami, {}, { token: old }), 401, "Unauthorized");
    await victim.admin.post(`${core}/serviceaccounts`, mine);
    expectStatus(await victim.admin.post(whoami, {}, { token: old }), 401, "Unauthorized");
  });
});

describe("privilege escalation", () => {
  const verbs = ["get", "list", "create", "update", "patch", "delete", "deletecollection"];
  beforeAll(() =>
    grant("eve-roles", [
      { verbs, apiGroups: [apiGroup], resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"] },
    ]),
  );

  const everything = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  const secrets = [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }];
  let round = 0;
  let mine: string;
  beforeEach(async () => {
    mine = `mine-${round++}`;
    const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps"] }];
    for (const [path, kind] of [
      [`${rbac}/clusterroles`, "ClusterRole"],
      [`${rbac}/namespaces/default/roles`, "Role"],
    ] as const)
      expect(
        (await victim.admin.post(path, { apiVersion: `${apiGroup}/v1`, kind, metadata: { name: mine }, rules }, eve))
          .status,
      ).toBe(201);
  });

  describe.each([
    ["ClusterRole", `${rbac}/clusterroles`],
    ["Role", `${rbac}/namespaces/default/roles`],
  ])("by a %s", (kind, path) => {
    const whole = (name: string, rules: unknown): object => ({
      apiVersion: `${apiGroup}/v1`,
      kind,
      metadata: { name },
      rules,
    });

    it.each<[string, unknown]>([
      ["everything", everything],
      ["secrets", secrets],
      ["a verb more", [{ verbs: ["get", "delete"], apiGroups: [""], resources: ["configmaps"] }]],
      ["all verbs", [{ verbs: ["*"], apiGroups: [""], resources: ["configmaps"] }]],
      ["all of a group", [{ verbs: ["get"], apiGroups: [""], resources: ["*"] }]],
      ["a part of it", [{ verbs: ["get"], apiGroups: [""], resources: ["configmaps/status"] }]],
      ["the power to escalate", [{ verbs: ["escalate"], apiGroups: [apiGroup], resources: ["clusterroles"] }]],
      ["the power to bind", [{ verbs: ["bind"], apiGroups: [apiGroup], resources: ["clusterroles"] }]],
    ])("create, update and every patch refuse %s", async (_, rules) => {
      const { admin } = victim;
      const at = `${path}/${mine}`;
      for (const received of [
        await admin.post(path, whole(`${mine}-new`, rules), eve),
        await admin.post(`${path}?dryRun=All`, whole(`${mine}-new`, rules), eve),
        await admin.put(at, whole(mine, rules), eve),
        await admin.put(`${path}/${mine}-put`, whole(`${mine}-put`, rules), eve),
        await admin.patch("merge", at, { rules }, eve),
        await admin.patch("strategic", at, { rules }, eve),
        await admin.patch("json", at, [{ op: "replace", path: "/rules", value: rules }], eve),
        await admin.patch("apply", `${at}?fieldManager=e&force=true`, whole(mine, rules), eve),
        await admin.patch("apply", `${path}/${mine}-applied?fieldManager=e`, whole(`${mine}-applied`, rules), eve),
      ])
        expectStatus(received, received.status === 404 ? 404 : 403);
      expect((await admin.get(at)).json.rules).toEqual([
        { verbs: ["get"], apiGroups: [""], resources: ["configmaps"] },
      ]);
      for (const name of [`${mine}-new`, `${mine}-put`, `${mine}-applied`])
        expect((await admin.get(`${path}/${name}`)).status).toBe(404);
    });
  });

  it("an aggregation rule is refused, and so is its change", async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: {} }] };
    const role = {
      apiVersion: `${apiGroup}/v1`,
      kind: "ClusterRole",
      metadata: { name: `${mine}-agg` },
      aggregationRule,
      rules: [],
    };
    expectStatus(await victim.admin.post(`${rbac}/clusterroles`, role, eve), 403);
    expectStatus(await victim.admin.patch("merge", `${rbac}/clusterroles/${mine}`, { aggregationRule }, eve), 403);
    expectStatus(
      await victim.admin.patch(
        "apply",
        `${rbac}/clusterroles/${mine}?fieldManager=e&force=true`,
        { ...role, metadata: { name: mine } },
        eve,
      ),
      403,
    );
  });

  describe.each([
    ["ClusterRoleBinding", `${rbac}/clusterrolebindings`],
    ["RoleBinding", `${rbac}/namespaces/default/rolebindings`],
  ])("by a %s", (kind, path) => {
    const binding = (name: string, role: string): object => ({
      apiVersion: `${apiGroup}/v1`,
      kind,
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
      subjects: [{ kind: "User", name: "eve", apiGroup }],
    });

    it.each(["cluster-admin", "admin", "edit", "system:node", "system:kube-scheduler"])(
      "to %s is refused",
      async (role) => {
        const { admin } = victim;
        expectStatus(await admin.post(path, binding(`${mine}-b`, role), eve), 403, "Forbidden");
        expectStatus(
          await admin.patch("apply", `${path}/${mine}-b?fieldManager=e`, binding(`${mine}-b`, role), eve),
          403,
        );
        expect((await admin.get(`${path}/${mine}-b`)).status).toBe(404);
      },
    );

    it("cannot change the role, nor the subjects of an admin's binding", async () => {
      const { admin } = victim;
      const name = `${mine}-turned`;
      expect((await admin.post(path, binding(name, "eve-reads"), eve)).status).toBe(201);
      for (const received of [
        await admin.put(`${path}/${name}`, binding(name, "cluster-admin"), eve),
        await admin.patch("merge", `${path}/${name}`, { roleRef: { name: "cluster-admin" } }, eve),
        await admin.patch(
          "json",
          `${path}/${name}`,
          [{ op: "replace", path: "/roleRef/name", value: "cluster-admin" }],
          eve,
        ),
      ])
        expect([403, 422]).toContain(received.status);
      expect(((await admin.get(`${path}/${name}`)).json.roleRef as { name: string }).name).toBe("eve-reads");

      const theirs = `${mine}-theirs`;
      await admin.post(path, { ...binding(theirs, "cluster-admin"), subjects: [] });
      const subjects = [{ kind: "User", name: "eve", apiGroup }];
      expectStatus(await admin.patch("merge", `${path}/${theirs}`, { subjects }, eve), 403);
      expectStatus(await admin.patch("strategic", `${path}/${theirs}`, { subjects }, eve), 403);
      expectStatus(
        await admin.patch(
          "apply",
          `${path}/${theirs}?fieldManager=e&force=true`,
          binding(theirs, "cluster-admin"),
          eve,
        ),
        403,
      );
    });
  });

  it("a role that is bound before it exists cannot be created without its rights", async () => {
    const early = {
      metadata: { name: `${mine}-early` },
      roleRef: { apiGroup, kind: "ClusterRole", name: `${mine}-later` },
      subjects: [{ kind: "User", name: "eve", apiGroup }],
    };
    expectStatus(await victim.admin.post(`${rbac}/clusterrolebindings`, early, eve), 404, "NotFound");
  });

  it("a huge role is checked in reasonable time", async () => {
    const words = (letter: string): string[] => Array.from({ length: 120 }, (_, i) => `${letter}${i}`);
    const rules = [{ verbs: words("v"), apiGroups: words("g"), resources: words("r"), resourceNames: words("n") }];
    const received = await victim.admin.post(
      `${rbac}/clusterroles`,
      { metadata: { name: `${mine}-huge` }, rules },
      eve,
    );
    expectStatus(received, 403);
    expect(received.text.length).toBeLessThan(3 * 1024 * 1024);
  });
});

describe("for anonymous users", () => {
  it.each(["/healthz", "/livez", "/readyz", "/version"])("%s is open", async (path) => {
    expect((await victim.admin.get(path, { nameless: true })).status).toBe(200);
  });

  it.each([
    "/",
    "/api",
    "/apis",
    "/api/v1",
    "/openapi/v3",
    "/openapi/v2",
    "/metrics",
    "/debug/pprof/",
    "/logs",
    `${core}/configmaps`,
    "/healthz/../api",
    "/version/../api/v1/secrets",
    "/healthz%2f..%2fapi",
  ])("%s is not", async (path) => {
    const { status } = await victim.admin.get(path, { nameless: true });
    expect([401, 403]).toContain(status);
  });

  it.each(["Bearer", "Bearer ", "bearer\t", "Basic YWRtaW46YWRtaW4=", "Negotiate x", "Token x", ""])(
    "the authorization header %j is anonymous",
    async (authorization) => {
      const { status } = await victim.admin.get(`${core}/configmaps`, { nameless: true, headers: { authorization } });
      expect([401, 403]).toContain(status);
    },
  );
});
