import { generateKeyPairSync } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import type { ActionContext, Resource } from "../resource.ts";
import { StatusError } from "../status-error.ts";
import { Authenticator } from "./authenticator.ts";
import { bootstrapObjects } from "./rbac/bootstrap-policy.ts";
import { ObjectMap } from "./testing/object-map.ts";
import { binding, clusterRole } from "./testing/rbac-objects.ts";
import { ClusterAuthorizer } from "./cluster-authorizer.ts";
import { NodeAuthorizer } from "./node/node-authorizer.ts";
import { NodeRelations } from "./node/node-relations.ts";
import { RbacAuthorizer } from "./rbac/rbac.ts";
import { reviewResources, tokenRequestAction } from "./reviews.ts";
import { DEFAULT_ISSUER, ServiceAccountTokens } from "./token/service-account-token.ts";
import type { User } from "./user.ts";

const admin: User = { name: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };
const jane: User = { name: "jane", uid: "u", groups: ["system:authenticated"], extra: { a: ["b"] } };
const key = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
const core = (kind: string, name: string, namespace?: string, spec?: object): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, uid: `${name}-uid`, ...(namespace ? { namespace } : {}) },
  ...(spec ? { spec } : {}),
});

let resources: Map<string, Resource>;
let action: ReturnType<typeof tokenRequestAction>;
let objects: ObjectMap;
beforeEach(() => {
  const clock = new VirtualClock();
  objects = new ObjectMap().put(
    ...bootstrapObjects(),
    clusterRole("pod-reader", [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] }]),
    binding("ci/pod-reader", "ClusterRole/pod-reader", "User jane", "Group readers"),
    core("ServiceAccount", "builder", "ci"),
    core("Pod", "p", "ci", { serviceAccountName: "builder", nodeName: "n" }),
    core("Pod", "other", "ci", { serviceAccountName: "default" }),
    core("Secret", "s", "ci"),
    core("Node", "n"),
  );
  const authorizer = new ClusterAuthorizer(
    new NodeAuthorizer(new NodeRelations({ list: () => [], watch: () => () => {} })),
    new RbacAuthorizer(objects),
  );
  const tokens = new ServiceAccountTokens({ key, objects, clock });
  const staticTokens = new Map([["jane-token", jane]]);
  const authenticator = new Authenticator({ authorizer, serviceAccountTokens: tokens, staticTokens });
  const schemas = (title: string): { title: string } => ({ title });
  resources = new Map(
    reviewResources({ authorizer, authenticator, clock, schemas }).map((resource) => [resource.kind, resource]),
  );
  action = tokenRequestAction({ objects, tokens, clock, schemas });
});

const context = (user: User, namespace = "", name = ""): ActionContext => ({ user, namespace, name, dryRun: false });

async function review(
  kind: string,
  spec: unknown,
  user = admin,
  { metadata = {}, namespace = "" } = {},
): Promise<KubeObject> {
  const resource = resources.get(kind);
  const apiVersion = `${resource?.group}/v1`;
  const body = { apiVersion, kind, metadata, ...(spec === undefined ? {} : { spec }) };
  return resource!.compute!(body, context(user, namespace));
}
async function refused(attempt: Promise<unknown>): Promise<{ code: number; message?: string; details?: unknown }> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StatusError)) throw new Error("not refused", { cause: error });
  return error.toStatus();
}

test("resources have the names and verbs of kube-apiserver's discovery", () => {
  const shown = [...resources.values()].map(({ group, plural, singular, namespaced, verbs, schema }) => [
    group,
    plural,
    singular,
    namespaced,
    verbs.join(),
    schema.title,
  ]);
  expect(shown).toEqual([
    [
      "authorization.k8s.io",
      "selfsubjectaccessreviews",
      "selfsubjectaccessreview",
      false,
      "create",
      "io.k8s.api.authorization.v1.SelfSubjectAccessReview",
    ],
    [
      "authorization.k8s.io",
      "subjectaccessreviews",
      "subjectaccessreview",
      false,
      "create",
      "io.k8s.api.authorization.v1.SubjectAccessReview",
    ],
    [
      "authorization.k8s.io",
      "localsubjectaccessreviews",
      "localsubjectaccessreview",
      true,
      "create",
      "io.k8s.api.authorization.v1.LocalSubjectAccessReview",
    ],
    [
      "authorization.k8s.io",
      "selfsubjectrulesreviews",
      "selfsubjectrulesreview",
      false,
      "create",
      "io.k8s.api.authorization.v1.SelfSubjectRulesReview",
    ],
    [
      "authentication.k8s.io",
      "selfsubjectreviews",
      "selfsubjectreview",
      false,
      "create",
      "io.k8s.api.authentication.v1.SelfSubjectReview",
    ],
    [
      "authentication.k8s.io",
      "tokenreviews",
      "tokenreview",
      false,
      "create",
      "io.k8s.api.authentication.v1.TokenReview",
    ],
  ]);
});

describe("access reviews", () => {
  const pod = { namespace: "ci", verb: "get", resource: "pods", name: "p" };
  const by = (subject: string): string =>
    `RBAC: allowed by RoleBinding "pod-reader/ci" of ClusterRole "pod-reader" to ${subject}`;

  test.each<[string, string, object, User, object]>([
    ["an admin", "SelfSubjectAccessReview", { resourceAttributes: pod }, admin, { allowed: true }],
    [
      "oneself",
      "SelfSubjectAccessReview",
      { resourceAttributes: pod },
      jane,
      { allowed: true, reason: by('User "jane"') },
    ],
    [
      "oneself on another object",
      "SelfSubjectAccessReview",
      { resourceAttributes: { ...pod, name: "q" } },
      jane,
      { allowed: false },
    ],
    [
      "oneself on a path",
      "SelfSubjectAccessReview",
      { nonResourceAttributes: { path: "/metrics", verb: "get" } },
      jane,
      { allowed: false },
    ],
    [
      "another user",
      "SubjectAccessReview",
      { user: "jane", resourceAttributes: pod },
      admin,
      { allowed: true, reason: by('User "jane"') },
    ],
    [
      "another group",
      "SubjectAccessReview",
      { groups: ["readers"], resourceAttributes: pod },
      admin,
      { allowed: true, reason: by('Group "readers"') },
    ],
    [
      "another user without rights",
      "SubjectAccessReview",
      { user: "eve", resourceAttributes: {} },
      admin,
      { allowed: false },
    ],
  ])("of %s", async (_what, kind, spec, user, status) => {
    expect(await review(kind, spec, user)).toEqual({
      kind,
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec,
      status,
    });
  });

  test("in a namespace", async () => {
    const spec = { user: "jane", resourceAttributes: pod };
    const metadata = { namespace: "ci" };
    expect(await review("LocalSubjectAccessReview", spec, admin, { metadata, namespace: "ci" })).toMatchObject({
      metadata,
      status: { allowed: true },
    });
    expect(await refused(review("LocalSubjectAccessReview", spec, admin, { namespace: "prod" }))).toMatchObject({
      code: 422,
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "ci": must match metadata.namespace',
    });
    const path = { user: "jane", nonResourceAttributes: { path: "/x", verb: "get" } };
    expect((await refused(review("LocalSubjectAccessReview", path, admin, { namespace: "ci" }))).message).toBe(
      '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request',
    );
  });

  const both = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  test.each<[string, string, unknown, object, string]>([
    ["nothing asked", "SelfSubjectAccessReview", {}, {}, `spec.resourceAttributes: Invalid value: null: ${both}`],
    ["no spec", "SelfSubjectAccessReview", undefined, {}, `spec.resourceAttributes: Invalid value: null: ${both}`],
    [
      "too much asked",
      "SelfSubjectAccessReview",
      { resourceAttributes: pod, nonResourceAttributes: { path: "/x" } },
      {},
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: cannot be specified in combination with resourceAttributes',
    ],
    [
      "neither a user nor attributes",
      "SubjectAccessReview",
      {},
      {},
      `[spec.resourceAttributes: Invalid value: null: ${both}, spec.user: Invalid value: "": at least one of user or group must be specified]`,
    ],
    [
      "a name",
      "SelfSubjectAccessReview",
      { resourceAttributes: pod },
      { name: "x" },
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ],
    [
      "two kinds of selector",
      "SelfSubjectAccessReview",
      {
        resourceAttributes: {
          ...pod,
          labelSelector: { rawSelector: "x=y", requirements: [{ key: "a", operator: "Exists" }] },
        },
      },
      {},
      'spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "x=y": may not specified at the same time as requirements',
    ],
    [
      "selectors that select nothing",
      "SelfSubjectAccessReview",
      {
        resourceAttributes: {
          ...pod,
          labelSelector: {},
          fieldSelector: { requirements: [{ operator: "In", values: ["a"] }] },
        },
      },
      {},
      "[spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified, spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required]",
    ],
  ])("with %s", async (_what, kind, spec, metadata, errors) => {
    const status = await refused(review(kind, spec, admin, { metadata }));
    expect(status).toMatchObject({ code: 422, message: `.authorization.k8s.io "" is invalid: ${errors}` });
    expect(Object.keys(status.details ?? {})).toEqual(["group", "causes"]);
  });

  test("of rules need a namespace and list its rules", async () => {
    expect(await review("SelfSubjectRulesReview", { namespace: "ci" }, { name: "x", groups: ["readers"] })).toEqual({
      kind: "SelfSubjectRulesReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: {},
      status: {
        resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] }],
        nonResourceRules: [],
        incomplete: false,
      },
    });
    const { status } = await review(
      "SelfSubjectRulesReview",
      { namespace: "prod" },
      { name: "x", groups: ["system:unauthenticated"] },
    );
    expect(status).toEqual({
      resourceRules: [],
      nonResourceRules: [
        { verbs: ["get"], nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"] },
      ],
      incomplete: false,
    });
    expect(await refused(review("SelfSubjectRulesReview", {}))).toMatchObject({
      code: 400,
      message: "no namespace on request",
    });
  });
});

test("a SelfSubjectReview returns the user", async () => {
  expect(await review("SelfSubjectReview", undefined, jane)).toEqual({
    kind: "SelfSubjectReview",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { userInfo: { username: "jane", uid: "u", groups: ["system:authenticated"], extra: { a: ["b"] } } },
  });
});

describe("token reviews", () => {
  const known = { username: "jane", uid: "u", groups: ["system:authenticated"], extra: { a: ["b"] } };
  test.each<[string, object, object]>([
    ["a known token", { token: "jane-token" }, { authenticated: true, user: known, audiences: [DEFAULT_ISSUER] }],
    [
      "a known token for this server among others",
      { token: "jane-token", audiences: ["x", DEFAULT_ISSUER] },
      { authenticated: true, user: known, audiences: [DEFAULT_ISSUER] },
    ],
    [
      "a known token for others",
      { token: "jane-token", audiences: ["x"] },
      { user: {}, error: "invalid bearer token" },
    ],
    ["an unknown token", { token: "bad" }, { user: {}, error: "invalid bearer token" }],
  ])("of %s", async (_what, spec, status) => {
    expect(await review("TokenReview", spec)).toEqual({
      kind: "TokenReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {},
      spec,
      status,
    });
  });

  test("without a token are refused", async () => {
    expect(await refused(review("TokenReview", {}))).toMatchObject({
      code: 400,
      message: "token is required for TokenReview in authentication",
    });
  });
});

describe("token requests", () => {
  async function request(spec: unknown, { metadata = {}, name = "builder" } = {}): Promise<KubeObject> {
    if (action.type !== "action") throw new Error("not an action");
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: { ...metadata }, spec };
    action.defaults?.(body);
    action.prepare?.(body, context(admin, "ci", name));
    return action.perform(body, context(admin, "ci", name));
  }
  const reference = (kind: string, name: string, more: object = {}): object => ({
    boundObjectRef: { kind, apiVersion: "v1", name, ...more },
  });

  test("return a token that the server accepts", async () => {
    const answer = await request({});
    expect(answer).toEqual({
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "builder", namespace: "ci", uid: "builder-uid", creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: { audiences: [DEFAULT_ISSUER], expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.any(String), expirationTimestamp: "2026-01-01T01:00:00Z" },
    });
    const { token } = answer["status"] as { token: string };
    expect((await review("TokenReview", { token })).status).toMatchObject({
      authenticated: true,
      user: { username: "system:serviceaccount:ci:builder" },
    });
  });

  test("for other audiences are valid for those only", async () => {
    const { token } = (await request({ audiences: ["vault"], expirationSeconds: 600 }))["status"] as { token: string };
    expect((await review("TokenReview", { token, audiences: ["vault"] })).status).toMatchObject({
      audiences: ["vault"],
    });
    expect((await review("TokenReview", { token })).status).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${DEFAULT_ISSUER}"]]`,
    });
  });

  test.each([
    [
      "Pod",
      "p",
      "pods",
      "ci/p",
      { "authentication.kubernetes.io/pod-name": ["p"], "authentication.kubernetes.io/node-name": ["n"] },
    ],
    ["Secret", "s", "secrets", "ci/s", {}],
    ["Node", "n", "nodes", "n", { "authentication.kubernetes.io/node-uid": ["n-uid"] }],
  ])("bound to a %s end with it", async (kind, name, collection, objectKey, extra) => {
    const { token } = (await request(reference(kind, name, { uid: `${name}-uid` })))["status"] as { token: string };
    expect((await review("TokenReview", { token })).status).toMatchObject({ user: { extra } });
    objects.remove(collection, objectKey);
    expect((await review("TokenReview", { token })).status).toMatchObject({ user: {} });
  });

  test("of a pod whose Node does not exist name the node nevertheless", async () => {
    objects.remove("nodes", "n");
    const { token } = (await request(reference("Pod", "p")))["status"] as { token: string };
    const { status } = (await review("TokenReview", { token })) as { status?: { user?: { extra?: object } } };
    expect(status?.user?.extra).toMatchObject({ "authentication.kubernetes.io/node-name": ["n"] });
    expect(status?.user?.extra).not.toHaveProperty(["authentication.kubernetes.io/node-uid"]);
  });

  test.each<[string, unknown, { metadata?: object; name?: string }, number, string]>([
    ["an account that is not there", {}, { name: "nosuch" }, 404, 'serviceaccounts "nosuch" not found'],
    [
      "too short a life",
      { expirationSeconds: 10 },
      {},
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    ],
    [
      "too long a life",
      { expirationSeconds: 10_000_000_000 },
      {},
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10000000000: may not specify a duration larger than 2^32 seconds',
    ],
    [
      "another name",
      {},
      { metadata: { name: "other" } },
      422,
      'TokenRequest.authentication.k8s.io "builder" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      "an account made anew",
      {},
      { metadata: { uid: "wrong" } },
      409,
      expect.stringContaining(
        'on TokenRequest.authentication.k8s.io "builder": the UID in the token request (wrong) does not match the UID',
      ) as string,
    ],
    ["a pod that is not there", reference("Pod", "nosuch"), {}, 404, 'pods "nosuch" not found'],
    [
      "a pod of another account",
      reference("Pod", "other"),
      {},
      400,
      'cannot bind token for serviceaccount "builder" to pod running with different serviceaccount name.',
    ],
    [
      "a pod made anew",
      reference("Pod", "p", { uid: "wrong" }),
      {},
      409,
      'Operation cannot be fulfilled on Pod "p": the UID in the bound object reference (wrong) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      "a kind that tokens know nothing of",
      reference("Foo", "x"),
      {},
      400,
      "cannot bind token to object of type /v1, Kind=Foo",
    ],
    [
      "a kind that is a property of every object",
      reference("constructor", "x"),
      {},
      400,
      "cannot bind token to object of type /v1, Kind=constructor",
    ],
  ])("for %s are refused", async (_what, spec, more, code, message) => {
    expect(await refused(request(spec, more))).toMatchObject({ code, message });
  });
});
