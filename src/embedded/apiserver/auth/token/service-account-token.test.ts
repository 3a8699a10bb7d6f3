import { generateKeyPairSync, createHmac, createPublicKey } from "node:crypto";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { keyIdOf, signToken } from "./json-web-token.ts";
import { ObjectMap } from "../testing/object-map.ts";
import { DEFAULT_ISSUER, MOUNTED_SECONDS, ServiceAccountTokens, type TokenSubject } from "./service-account-token.ts";

const newKey = (): ReturnType<typeof generateKeyPairSync> => generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const key = newKey().privateKey;
const object = (kind: string, name: string, namespace?: string, uid = `${name}-uid`): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, uid, ...(namespace ? { namespace } : {}) },
});
const builder: TokenSubject = { namespace: "ci", serviceAccount: { name: "builder", uid: "builder-uid" } };
const everything: TokenSubject = {
  ...builder,
  pod: { name: "p", uid: "p-uid" },
  secret: { name: "s", uid: "s-uid" },
  node: { name: "n", uid: "n-uid" },
};

let objects: ObjectMap;
let clock: VirtualClock;
let tokens: ServiceAccountTokens;
beforeEach(() => {
  objects = new ObjectMap().put(
    object("ServiceAccount", "builder", "ci"),
    object("Pod", "p", "ci"),
    object("Secret", "s", "ci"),
    object("Node", "n"),
  );
  clock = new VirtualClock();
  tokens = new ServiceAccountTokens({ key, objects, clock });
});

const part = (token: string, i: number): JsonObject =>
  JSON.parse(Buffer.from(token.split(".")[i] ?? "", "base64url").toString());
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a token has the claims of a Kubernetes bound token", () => {
  const { token, expires } = tokens.issue(everything, ["a", "b"], 3600);
  const now = clock.now() / 1000;
  expect(expires).toBe(clock.now() + 3_600_000);
  expect(part(token, 0)).toEqual({ alg: "ES256", kid: keyIdOf(createPublicKey(key)) });
  expect(part(token, 1)).toEqual({
    aud: ["a", "b"],
    exp: now + 3600,
    iat: now,
    iss: DEFAULT_ISSUER,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    "kubernetes.io": {
      namespace: "ci",
      node: { name: "n", uid: "n-uid" },
      pod: { name: "p", uid: "p-uid" },
      secret: { name: "s", uid: "s-uid" },
      serviceaccount: { name: "builder", uid: "builder-uid" },
    },
    nbf: now,
    sub: "system:serviceaccount:ci:builder",
  });
});

test("a valid token is its service account, with groups, pod and node", () => {
  const { token } = tokens.issue(everything, [DEFAULT_ISSUER], 600);
  expect(tokens.verify(token)).toEqual({
    ok: true,
    audiences: [DEFAULT_ISSUER],
    user: {
      name: "system:serviceaccount:ci:builder",
      uid: "builder-uid",
      groups: ["system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"],
      extra: {
        "authentication.kubernetes.io/credential-id": [`JTI=${part(token, 1)["jti"] as string}`],
        "authentication.kubernetes.io/node-name": ["n"],
        "authentication.kubernetes.io/node-uid": ["n-uid"],
        "authentication.kubernetes.io/pod-name": ["p"],
        "authentication.kubernetes.io/pod-uid": ["p-uid"],
      },
    },
  });
});

test("the same token gives the same User object, so that caches by user work", () => {
  const { token } = tokens.issue(builder, [DEFAULT_ISSUER], 600);
  const [first, second] = [tokens.verify(token), tokens.verify(token)];
  expect(first.ok && second.ok && first.user === second.user).toBe(true);
});

describe("a token that was good a moment ago is refused when", () => {
  const cases: [string, TokenSubject, () => void | Promise<void>, string][] = [
    ["it expires", builder, () => clock.advance(600_000), "service account token has expired"],
    [
      "its account is gone",
      builder,
      () => objects.remove("serviceaccounts", "ci/builder"),
      "service account token has been invalidated",
    ],
    [
      "its account was made anew",
      builder,
      () => void objects.put(object("ServiceAccount", "builder", "ci", "other")),
      "service account token has been invalidated",
    ],
    [
      "its pod is gone",
      { ...builder, pod: { name: "p", uid: "p-uid" } },
      () => objects.remove("pods", "ci/p"),
      "pod of the service account token is gone",
    ],
    [
      "its secret is gone",
      { ...builder, secret: { name: "s", uid: "s-uid" } },
      () => objects.remove("secrets", "ci/s"),
      "service account token has been invalidated",
    ],
    [
      "its node is gone",
      { ...builder, node: { name: "n", uid: "n-uid" } },
      () => objects.remove("nodes", "n"),
      "node of the service account token is gone",
    ],
  ];
  test.each(cases)("%s", async (_what, subject, change, error) => {
    const { token } = tokens.issue(subject, [DEFAULT_ISSUER], 600);
    expect(tokens.verify(token).ok).toBe(true);
    await change();
    expect(tokens.verify(token)).toEqual({ ok: false, error });
  });

  test("its pod has been terminating for more than a minute", async () => {
    const { token } = tokens.issue({ ...builder, pod: { name: "p", uid: "p-uid" } }, [DEFAULT_ISSUER], 600);
    const pod = object("Pod", "p", "ci");
    objects.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date(clock.now()).toISOString() } });
    await clock.advance(60_000);
    expect(tokens.verify(token).ok).toBe(true);
    await clock.advance(1);
    expect(tokens.verify(token).ok).toBe(false);
  });
});

test("a mounted token outlives its stated expiry, but no other does", async () => {
  const pod = { name: "p", uid: "p-uid" };
  const issue = (subject: TokenSubject, audience = DEFAULT_ISSUER): string => {
    const { token, expires } = tokens.issue(subject, [audience], MOUNTED_SECONDS);
    expect(expires).toBe(clock.now() + 3_607_000);
    return token;
  };
  const [mounted, unbound, elsewhere] = [issue({ ...builder, pod }), issue(builder), issue({ ...builder, pod }, "x")];
  const now = clock.now() / 1000;
  expect(part(mounted, 1)).toMatchObject({ exp: now + 31_536_000, "kubernetes.io": { warnafter: now + 3607 } });
  await clock.advance(3_607_000);
  expect([mounted, unbound].map((token) => tokens.verify(token).ok)).toEqual([true, false]);
  expect(tokens.verify(elsewhere, ["x"]).ok).toBe(false);
});

test("a pod's token stays valid when its node is gone", () => {
  const { token } = tokens.issue(
    { ...builder, pod: { name: "p", uid: "p-uid" }, node: { name: "n", uid: "n-uid" } },
    [DEFAULT_ISSUER],
    600,
  );
  objects.remove("nodes", "n");
  expect(tokens.verify(token).ok).toBe(true);
});

test("a token is valid for its audiences only, also when it is cached", () => {
  const { token } = tokens.issue(builder, ["vault", "bank"], 600);
  const refused = {
    ok: false,
    error: `token audiences ["vault" "bank"] is invalid for the target audiences ["${DEFAULT_ISSUER}"]`,
  };
  expect(tokens.verify(token)).toEqual(refused);
  expect(tokens.verify(token, ["shop", "bank"])).toMatchObject({ ok: true, audiences: ["bank"] });
  expect(tokens.verify(token)).toEqual(refused);
});

describe("forged tokens", () => {
  const claims = (): JsonObject => part(tokens.issue(builder, [DEFAULT_ISSUER], 600).token, 1);
  const kid = keyIdOf(createPublicKey(key));
  const publicPem = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
  const signedBy = (header: Record<string, unknown>, payload: JsonObject): string => {
    const own = signToken(payload, key, kid).split(".");
    return `${encoded(header)}.${own[1]}.${own[2]}`;
  };
  const hmac = (header: Record<string, unknown>, payload: unknown, secret: string): string => {
    const signed = `${encoded(header)}.${encoded(payload)}`;
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  };
  const cases: [string, () => string][] = [
    ["no signature, algorithm none", () => `${encoded({ alg: "none", kid })}.${encoded(claims())}.`],
    ["algorithm none with a signature", () => signedBy({ alg: "none", kid }, claims())],
    ["the public key as a shared secret", () => hmac({ alg: "HS256", kid }, claims(), publicPem)],
    ["the shared secret under our algorithm", () => hmac({ alg: "ES256", kid }, claims(), publicPem)],
    ["another key", () => signToken(claims(), newKey().privateKey, kid)],
    [
      "another key under its own id",
      () => {
        const other = newKey();
        return signToken(claims(), other.privateKey, keyIdOf(other.publicKey));
      },
    ],
    ["another issuer", () => signToken({ ...claims(), iss: "https://elsewhere" }, key, kid)],
    [
      "a subject other than its claims",
      () => signToken({ ...claims(), sub: "system:serviceaccount:kube-system:root" }, key, kid),
    ],
    [
      "no expiry",
      () => {
        const { exp: _exp, ...rest } = claims();
        return signToken(rest, key, kid);
      },
    ],
    ["an expiry that is text", () => signToken({ ...claims(), exp: "never" }, key, kid)],
    ["an audience that is text", () => signToken({ ...claims(), aud: DEFAULT_ISSUER }, key, kid)],
    ["four parts", () => `${tokens.issue(builder, [DEFAULT_ISSUER], 600).token}.x`],
    ["claims that are no object", () => `${encoded({ alg: "ES256", kid })}.${encoded(null)}.AA`],
    ["nothing", () => ""],
    ["dots", () => ".."],
  ];
  test.each(cases)("%s", (_what, forge) => {
    expect(tokens.verify(forge())).toEqual({ ok: false });
  });

  test("not yet valid", async () => {
    const { token } = tokens.issue(builder, [DEFAULT_ISSUER], 600);
    const before = (ms: number) =>
      new ServiceAccountTokens({ key, objects, clock: new VirtualClock(clock.now() - ms) }).verify(token);
    // The clock stepped back, by less than kube-apiserver tolerates.
    expect(before(60_000)).toMatchObject({ ok: true });
    expect(before(61_000)).toEqual({ ok: false, error: "service account token is not valid yet" });
  });

  test("any single character changed, removed or added", () => {
    const { token } = tokens.issue(builder, [DEFAULT_ISSUER], 600);
    expect(tokens.verify(token).ok).toBe(true);
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom("A", "z", "_", ".", "=", " ", "é", ""),
        fc.nat(1),
        (i, by, keep) => {
          const forged = token.slice(0, i) + by + token.slice(i + 1 - keep);
          fc.pre(forged !== token);
          expect(tokens.verify(forged).ok).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});

test("a token that was evicted from the cache still works", () => {
  const { token } = tokens.issue(builder, [DEFAULT_ISSUER], 600);
  for (let i = 0; i < 2100; i++)
    expect(tokens.verify(tokens.issue(builder, [DEFAULT_ISSUER], 600).token).ok).toBe(true);
  expect(tokens.verify(token).ok).toBe(true);
});
