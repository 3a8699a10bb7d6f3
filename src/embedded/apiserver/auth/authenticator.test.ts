import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { StatusError } from "../status-error.ts";
import { Authenticator, userOf, type ClientCertificate, type RequestCredentials } from "./authenticator.ts";
import { ObjectMap } from "./testing/object-map.ts";
import { RbacAuthorizer } from "./rbac/rbac.ts";
import { binding, clusterRole } from "./testing/rbac-objects.ts";
import { ServiceAccountTokens } from "./token/service-account-token.ts";
import { anonymous, type User } from "./user.ts";

const admin: User = { name: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };
const imp: User = { name: "imp", groups: ["system:authenticated"] };
const objects = new ObjectMap().put(
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "ci", name: "builder", uid: "u1" } },
  clusterRole("impersonate-users", [{ verbs: ["impersonate"], apiGroups: [""], resources: ["users"] }]),
  binding("impersonate-users", "ClusterRole/impersonate-users", "User imp"),
);
const tokens = new ServiceAccountTokens({
  key: generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey,
  objects,
  clock: new VirtualClock(),
});
const authenticator = new Authenticator({
  authorizer: new RbacAuthorizer(objects),
  serviceAccountTokens: tokens,
  staticTokens: new Map([
    ["admin-token", admin],
    ["imp-token", imp],
  ]),
});
const certificate = (CN: string | string[], O?: string | string[]): ClientCertificate => ({
  subject: { CN, O },
  fingerprint256: "AB:CD:0F",
});

const authenticate = (request: Partial<RequestCredentials>): User =>
  authenticator.authenticate({ rawHeaders: [], ...request });

function refusal(act: () => unknown): ReturnType<StatusError["toStatus"]> {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return error.toStatus();
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("credentials", () => {
  test("a request without credentials is anonymous", () => expect(authenticate({})).toBe(anonymous));
  test.each(["Bearer admin-token", "bearer admin-token", "Bearer admin-token trailing", " Bearer admin-token "])(
    "%j is the token's user",
    (authorization) => expect(authenticate({ authorization })).toBe(admin),
  );
  test.each(["Basic YTpi", "Bearer", "Bearer  ", "admin-token", ""])("%j is anonymous", (authorization) =>
    expect(authenticate({ authorization })).toBe(anonymous),
  );
  test.each(["wrong", "eyJhbGciOiJub25lIn0.e30.", "admin-token2", "ADMIN-TOKEN", "__proto__", "x".repeat(10_000)])(
    "the token %.30s is refused",
    (token) =>
      expect(refusal(() => authenticate({ authorization: `Bearer ${token}` }))).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401,
      }),
  );
  test("a service account token authenticates the account", () => {
    const subject = { namespace: "ci", serviceAccount: { name: "builder", uid: "u1" } };
    const { token } = tokens.issue(subject, [tokens.issuer], 600);
    expect(authenticate({ authorization: `Bearer ${token}` }).name).toBe("system:serviceaccount:ci:builder");
  });
  test("a service account token for another audience is refused", () => {
    const subject = { namespace: "ci", serviceAccount: { name: "builder", uid: "u1" } };
    const { token } = tokens.issue(subject, ["vault"], 600);
    expect(refusal(() => authenticate({ authorization: `Bearer ${token}` })).code).toBe(401);
  });
});

describe("client certificates", () => {
  const extra = { "authentication.kubernetes.io/credential-id": ["X509SHA256=abcd0f"] };
  test.each<[string, ClientCertificate, User | undefined]>([
    ["name and group", certificate("jane", "dev"), { name: "jane", groups: ["dev", "system:authenticated"], extra }],
    [
      "several groups",
      certificate("jane", ["a", "b"]),
      { name: "jane", groups: ["a", "b", "system:authenticated"], extra },
    ],
    ["no group", certificate("jane"), { name: "jane", groups: ["system:authenticated"], extra }],
    [
      "several names: the last counts",
      certificate(["x", "jane"]),
      { name: "jane", groups: ["system:authenticated"], extra },
    ],
    ["no name", certificate(""), undefined],
    ["no subject", {}, undefined],
  ])("%s", (_what, given, user) => expect(userOf(given)).toEqual(user));

  test("take precedence over tokens, valid or not", () => {
    const clientCertificate = certificate("jane");
    expect(authenticate({ clientCertificate, authorization: "Bearer wrong" }).name).toBe("jane");
    expect(authenticate({ clientCertificate })).toBe(authenticate({ clientCertificate }));
  });
  test("without a common name leave authentication to the token", () =>
    expect(authenticate({ clientCertificate: certificate(""), authorization: "Bearer admin-token" })).toBe(admin));
});

describe("impersonation by one who may do everything", () => {
  const authenticated = "system:authenticated";
  test.each<[string, string[], User]>([
    ["a user", ["Impersonate-User", "jane"], { name: "jane", groups: [authenticated] }],
    ["headers in any case", ["iMPERSONATE-uSER", "jane"], { name: "jane", groups: [authenticated] }],
    [
      "groups, one of them with a comma",
      ["Impersonate-User", "jane", "Impersonate-Group", "a, b", "Impersonate-Group", "c"],
      { name: "jane", groups: ["a, b", "c", authenticated] },
    ],
    [
      "a service account gets its groups",
      ["Impersonate-User", "system:serviceaccount:ci:builder"],
      {
        name: "system:serviceaccount:ci:builder",
        groups: ["system:serviceaccounts", "system:serviceaccounts:ci", authenticated],
      },
    ],
    [
      "a service account with groups gets those alone",
      ["Impersonate-User", "system:serviceaccount:ci:builder", "Impersonate-Group", "x"],
      { name: "system:serviceaccount:ci:builder", groups: ["x", authenticated] },
    ],
    [
      "half a service account",
      ["Impersonate-User", "system:serviceaccount:ci"],
      { name: "system:serviceaccount:ci", groups: [authenticated] },
    ],
    ["anonymous", ["Impersonate-User", "system:anonymous"], anonymous],
    [
      "one who is said to be unknown",
      ["Impersonate-User", "jane", "Impersonate-Group", "system:unauthenticated"],
      { name: "jane", groups: ["system:unauthenticated"] },
    ],
    [
      "uid and extras, whose keys are lower-cased and unescaped",
      [
        "Impersonate-User",
        "jane",
        "Impersonate-Uid",
        "u",
        "Impersonate-Extra-Foo%2Fbar",
        "x",
        "impersonate-extra-foo%2fBar",
        "y",
        "Impersonate-Extra-%zz",
        "z",
      ],
      { name: "jane", uid: "u", groups: [authenticated], extra: { "foo/bar": ["x", "y"], "%zz": ["z"] } },
    ],
    [
      "a name in UTF-8",
      ["Impersonate-User", Buffer.from("jané").toString("latin1")],
      { name: "jané", groups: [authenticated] },
    ],
    ["an empty user", ["Impersonate-User", ""], admin],
    ["a header that only looks like one", ["Impersonate", "jane", "If-Match", "x", "Impersonated-User", "y"], admin],
  ])("%s", (_what, rawHeaders, user) =>
    expect(authenticate({ authorization: "Bearer admin-token", rawHeaders })).toEqual(user),
  );

  test("an extra called __proto__ changes nothing but itself", () => {
    const user = authenticate({
      authorization: "Bearer admin-token",
      rawHeaders: ["Impersonate-User", "jane", "Impersonate-Extra-__proto__", "polluted"],
    });
    expect(Object.keys(user.extra ?? {})).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(user.extra)).toBe(Object.prototype);
  });

  test.each([
    [["Impersonate-Group", "g"], "requested [{Group  g    }] without impersonating a user"],
    [["Impersonate-Uid", "u"], "requested [{UID  u  authentication.k8s.io/v1  }] without impersonating a user"],
    [
      ["Impersonate-Extra-x", "g"],
      "requested [{UserExtra  g  authentication.k8s.io/v1  x}] without impersonating a user",
    ],
    [["Impersonate-User", "", "Impersonate-Group", "g"], "requested [{Group  g    }] without impersonating a user"],
  ])("%j names no user", (rawHeaders, message) =>
    expect(refusal(() => authenticate({ authorization: "Bearer admin-token", rawHeaders }))).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message,
    }),
  );
});

describe("impersonation by one who may be any user and nothing else", () => {
  const as = (...rawHeaders: string[]): User => authenticate({ authorization: "Bearer imp-token", rawHeaders });

  test("may be a user", () => expect(as("Impersonate-User", "jane").name).toBe("jane"));

  test.each([
    [
      ["Impersonate-User", "jane", "Impersonate-Group", "system:masters"],
      'groups "system:masters" is forbidden: User "imp" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ],
    [
      ["Impersonate-User", "jane", "Impersonate-Uid", "u1"],
      'uids.authentication.k8s.io "u1" is forbidden: User "imp" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      ["Impersonate-User", "jane", "Impersonate-Extra-Foo%2Fbar", "x"],
      'userextras.authentication.k8s.io "x" is forbidden: User "imp" cannot impersonate resource "userextras/foo/bar" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      ["Impersonate-User", "system:serviceaccount:ns1:sa1"],
      'serviceaccounts "sa1" is forbidden: User "imp" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns1"',
    ],
  ])("not with %j", (rawHeaders, message) =>
    expect(refusal(() => as(...rawHeaders))).toMatchObject({ code: 403, reason: "Forbidden", message }),
  );

  test("nor may an anonymous one", () =>
    expect(refusal(() => authenticate({ rawHeaders: ["Impersonate-User", "admin"] })).message).toBe(
      'users "admin" is forbidden: User "system:anonymous" cannot impersonate resource "users" in API group "" at the cluster scope',
    ));
});
