import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
  for (const name of ["a", "b", "c"]) await victim.admin.post(configMaps, { metadata: { name } });
});
afterEach(() => expectUnharmed(victim));
afterAll(() => victim.close());

describe("an unknown path", () => {
  it.each([
    `${configMaps}/%2e%2e`,
    `${configMaps}/%2e`,
    `${configMaps}/..`,
    `${configMaps}/../secrets`,
    `${configMaps}/%2e%2e/secrets`,
    "/api/v1/namespaces/default%2Fconfigmaps/a",
    `${configMaps}/a%2Fstatus`,
    "//api/v1/namespaces/default/configmaps",
    "/api//v1/namespaces/default/configmaps",
    "/api/v1//namespaces/default/configmaps",
    "/api/v1/namespaces//configmaps",
    `${configMaps}//a`,
    `${configMaps}/a//`,
    `${configMaps}/%00`,
    `${configMaps}/%zz`,
    `${configMaps}/%`,
    `${configMaps}/%ff`,
    `${configMaps}/a%20`,
    `${configMaps}/a.`,
    `${configMaps}/A`,
    "/API/v1/namespaces/default/configmaps",
    "/api/V1/namespaces/default/configmaps",
    "/api/v1/Namespaces/default/configmaps",
    "/api/v1/namespaces/default/ConfigMaps",
    "/api/v1/namespaces/default/configmap",
    "/api/v1/namespaces/default/configmaps;/a",
    "/apis/%2e%2e/api/v1/namespaces",
    "/apis//v1/configmaps",
    "/apis/apps/v1/namespaces/default/configmaps",
    "/api/v1/namespaces/default/daemonsets",
    "/api/v1/namespaces/default/nodes",
    "/api/v2",
    "/api/v1/x/y/z/a/b/c/d",
    "/apis/apps/v1/x/y/z/a/b/c/d",
    "/openapi/v3/..",
    "/openapi/v2/x",
    "/nope",
    "/healthzz",
    `/${"x".repeat(10_000)}`,
    `${configMaps}/${"x".repeat(10_000)}`,
    `${configMaps}/${"%41".repeat(3_000)}`,
  ])("%s is not there", async (path) => {
    const { status, text } = await victim.admin.get(path);
    expect({ path, found: [400, 404].includes(status) ? "nothing" : `${status} ${text.slice(0, 100)}` }).toEqual({
      path,
      found: "nothing",
    });
  });
});

describe("an unsupported method", () => {
  it.each([
    ["PUT", configMaps],
    ["PATCH", configMaps],
    ["POST", `${configMaps}/a`],
    ["POST", "/api/v1/configmaps"],
    ["PUT", "/api/v1/configmaps"],
    ["OPTIONS", configMaps],
    ["TRACE", configMaps],
    ["PROPFIND", configMaps],
    ["DELETE", "/version"],
    ["POST", "/api/v1"],
    ["DELETE", "/apis"],
    ["PUT", "/openapi/v3"],
    ["DELETE", "/api/v1/namespaces"],
    ["GET", "/apis/authentication.k8s.io/v1/tokenreviews"],
    ["DELETE", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
  ])("%s %s is refused with 405", async (method, path) => {
    const patching = method === "PATCH" ? { type: "application/merge-patch+json" } : {};
    const body = ["POST", "PUT", "PATCH"].includes(method) ? { body: "{}", ...patching } : {};
    expectStatus(await victim.admin.send(method, path, body), 405, "MethodNotAllowed");
  });

  it.each([configMaps, `${configMaps}/a`, `${configMaps}?watch=true`])(
    "HEAD %s is refused, and watches nothing",
    async (path) => {
      expect((await victim.admin.send("HEAD", path)).status).toBe(405);
    },
  );
});

describe("an invalid query", () => {
  const token = (token: unknown): string => `continue=${Buffer.from(JSON.stringify(token)).toString("base64url")}`;
  const v = "meta.k8s.io/v1";

  it.each([
    ["limit=x", 400],
    ["limit=1.5", 400],
    ["limit=1e3", 400],
    ["limit=9223372036854775808", 400],
    ["limit=-1", 200],
    ["limit=0", 200],
    ["limit=9223372036854775807", 200],
    ["continue=x", 400],
    ["continue=%00", 400],
    [token(null), 400],
    [token({}), 400],
    [token([]), 400],
    [token({ v: "meta.k8s.io/v0", rv: 1, start: "a\0" }), 400],
    [token({ v, rv: "1", start: "a\0" }), 400],
    [token({ v, rv: 1.5, start: "a\0" }), 400],
    [token({ v, rv: 0, start: "a\0" }), 400],
    [token({ v, rv: 1, start: 5 }), 400],
    [token({ v, rv: 1, start: "../secrets/a\0" }), 400],
    [token({ v, rv: 999_999_999, start: "a\0" }), 504],
    ["resourceVersion=x", 400],
    ["resourceVersion=-1", 400],
    ["resourceVersion=1.0", 400],
    ["resourceVersion=0x1", 400],
    ["resourceVersion=99999999999999999999", 400],
    ["resourceVersion=999999999", 504],
    ["resourceVersion=0", 200],
    ["resourceVersionMatch=Exact", 422],
    ["resourceVersion=0&resourceVersionMatch=Exact", 422],
    ["resourceVersion=1&resourceVersionMatch=Some", 422],
    ["sendInitialEvents=true", 422],
    ["labelSelector=a%20in%20(", 400],
    ["labelSelector=a%3D%3D%3Db", 400],
    ["labelSelector=!", 400],
    ["labelSelector=,", 400],
    ["labelSelector=a%3Db,,", 400],
    [`labelSelector=a%3D${"b".repeat(64)}`, 400],
    [`labelSelector=${"(".repeat(3_000)}`, 400],
    ["fieldSelector=spec.nope%3D1", 400],
    ["fieldSelector=metadata.name", 400],
    ["fieldSelector=metadata.name%3E1", 400],
    ["watch=true&resourceVersionMatch=NotOlderThan", 422],
    ["watch=true&sendInitialEvents=true", 422],
    ["watch=true&timeoutSeconds=x", 400],
    ["watch=true&labelSelector=(", 400],
    ["watch=true&fieldSelector=a%3Db", 400],
    ["timeoutSeconds=x", 400],
  ])("%s is answered with %i", async (query, code) => {
    const received = await victim.admin.get(`${configMaps}?${query}`);
    if (code >= 400) expectStatus(received, code);
    else expect(received.status).toBe(code);
    // Three of this test, and kube-root-ca.crt.
    if (code === 200) expect(received.json.items).toHaveLength(4);
  });

  it.each([
    ["3,000 values", `a in (${Array.from({ length: 3_000 }, (_, i) => `v${i}`).join(",")})`],
    ["1,000 requirements", Array.from({ length: 1_000 }, (_, i) => `key-${i}!=value-${i}`).join(",")],
  ])("a selector with %s is answered", async (_, selector) => {
    const { status } = await victim.admin.get(`${configMaps}?labelSelector=${encodeURIComponent(selector)}`);
    expect(status).toBe(200);
  });

  it("a forged continue token never lists another namespace or kind", async () => {
    await victim.admin.post("/api/v1/namespaces", { metadata: { name: "other" } });
    await victim.admin.post("/api/v1/namespaces/other/configmaps", { metadata: { name: "theirs" } });
    const { json: newest } = await victim.admin.get(configMaps);
    const rv = Number(newest.metadata.resourceVersion);
    for (const start of ["", "\0", "other\0", "other/theirs\0", "default/b\0", "zzz\0", "d\0"]) {
      const received = await victim.admin.get(`${configMaps}?${token({ v, rv, start })}`);
      if (received.status === 200)
        for (const { metadata } of received.json.items) expect(metadata.namespace).toBe("default");
      else expectStatus(received, 400);
    }
  });
});
