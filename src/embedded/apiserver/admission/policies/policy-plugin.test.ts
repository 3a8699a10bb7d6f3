import { describe, expect, it } from "vitest";
import type { User } from "../../auth/user.ts";
import { StatusError } from "../../status-error.ts";
import { SmallServer } from "../../testing/small-server.ts";

type Spec = Readonly<Record<string, unknown>>;

const configMaps = {
  resourceRules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE", "DELETE"], resources: ["configmaps"] },
  ],
};
const deny: Spec = { policyName: "p", validationActions: ["Deny"] };

async function serverWith(policy: Spec, ...bindings: readonly Spec[]): Promise<SmallServer> {
  const server = new SmallServer();
  await server.createNamespaces("ns", "other");
  await bind(server, "p", policy, bindings.length > 0 ? bindings : [deny]);
  return server;
}

async function bind(server: SmallServer, name: string, policy: Spec, bindings: readonly Spec[]): Promise<void> {
  await server.create("validatingadmissionpolicies", {
    metadata: { name },
    spec: { matchConstraints: configMaps, ...policy },
  });
  for (const [i, spec] of bindings.entries())
    await server.create("validatingadmissionpolicybindings", { metadata: { name: `${name}-b${i}` }, spec });
}

const configMap = (name: string, data: Record<string, string> = {}, namespace = "ns") => ({
  metadata: { name, namespace },
  data,
});

/** The refusal, without the common part of its message. */
async function outcome(write: Promise<unknown>): Promise<string> {
  try {
    await write;
    return "";
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, reason, message } = error;
    return `${code} ${reason}: ${message.replace(/^.* is forbidden: ValidatingAdmissionPolicy /, "")}`;
  }
}

describe("a policy", () => {
  it("refuses with kube-apiserver's message", async () => {
    const server = await serverWith({ validations: [{ expression: "object.metadata.name != 'bad'" }] });
    await server.create("configmaps", configMap("good"));
    const refusal = await server.create("configmaps", configMap("bad")).catch((error: unknown) => error as StatusError);
    const message =
      "ValidatingAdmissionPolicy 'p' with binding 'p-b0' denied request: failed expression: object.metadata.name != 'bad'";
    expect(refusal).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: `configmaps "bad" is forbidden: ${message}`,
      details: { name: "bad", kind: "configmaps", causes: [{ message }] },
    });
    expect(server.exists("configmaps", { namespace: "ns", name: "bad" })).toBe(false);
  });

  it.each<[string, Spec, string]>([
    [
      "a message",
      { validations: [{ expression: "false", message: " no " }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: no",
    ],
    [
      "a messageExpression",
      { validations: [{ expression: "false", message: "no", messageExpression: "'not ' + object.metadata.name" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: not x",
    ],
    [
      "a messageExpression that fails: the message is used",
      { validations: [{ expression: "false", message: "no", messageExpression: "string(object.nope)" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: no",
    ],
    [
      "a messageExpression of two lines: the expression is used",
      { validations: [{ expression: " false ", messageExpression: "'a\\nb'" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: failed expression: false",
    ],
    [
      "a messageExpression that is too long",
      { validations: [{ expression: "false", messageExpression: `[${"'12345678',".repeat(1000)}].join()` }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: failed expression: false",
    ],
    [
      "a reason",
      { validations: [{ expression: "false", reason: "Forbidden" }] },
      "403 Forbidden: 'p' with binding 'p-b0' denied request: failed expression: false",
    ],
    [
      "another reason",
      { validations: [{ expression: "false", reason: "RequestEntityTooLarge" }] },
      "413 RequestEntityTooLarge: 'p' with binding 'p-b0' denied request: failed expression: false",
    ],
    [
      "the first of several objections",
      { validations: [{ expression: "true" }, { expression: "false", message: "a" }, { expression: "1 == 2" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: a",
    ],
    [
      "an expression that fails",
      { validations: [{ expression: "object.nope == 1" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: expression 'object.nope == 1' resulted in error: no such key: nope",
    ],
    [
      "an expression that fails, under failurePolicy Ignore",
      { failurePolicy: "Ignore", validations: [{ expression: "object.nope == 1" }] },
      "",
    ],
    [
      "an objection after an error, under failurePolicy Ignore",
      { failurePolicy: "Ignore", validations: [{ expression: "object.nope == 1" }, { expression: "false" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: failed expression: false",
    ],
    [
      "a condition that does not hold",
      { matchConditions: [{ name: "c", expression: "request.name == 'y'" }], validations: [{ expression: "false" }] },
      "",
    ],
    [
      "a condition that fails",
      { matchConditions: [{ name: "c", expression: "object.nope == 1" }], validations: [{ expression: "true" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: expression 'object.nope == 1' resulted in error: no such key: nope",
    ],
    [
      "a condition that fails, under failurePolicy Ignore",
      {
        failurePolicy: "Ignore",
        matchConditions: [{ name: "c", expression: "object.nope == 1" }],
        validations: [{ expression: "false" }],
      },
      "",
    ],
    [
      "variables that use each other",
      {
        variables: [
          { name: "a", expression: "object.metadata.name" },
          { name: "__proto__", expression: "variables.a + '!'" },
          { name: "constructor", expression: "[variables.__proto__]" },
        ],
        validations: [{ expression: "variables.constructor == ['x?']", messageExpression: "variables.constructor[0]" }],
      },
      "422 Invalid: 'p' with binding 'p-b0' denied request: x!",
    ],
    [
      "a variable that no expression uses",
      { variables: [{ name: "a", expression: "object.nope" }], validations: [{ expression: "true" }] },
      "",
    ],
    [
      "a variable that fails",
      { variables: [{ name: "a", expression: "object.nope" }], validations: [{ expression: "variables.a == 1" }] },
      `422 Invalid: 'p' with binding 'p-b0' denied request: expression 'variables.a == 1' resulted in error: composited variable "a" fails to evaluate: no such key: nope`,
    ],
    [
      "the object's namespace",
      { validations: [{ expression: "namespaceObject.metadata.name == 'other'" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: failed expression: namespaceObject.metadata.name == 'other'",
    ],
    [
      "the rights of the writer",
      { validations: [{ expression: "!authorizer.group('').resource('secrets').check('get').allowed()" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: failed expression: !authorizer.group('').resource('secrets').check('get').allowed()",
    ],
    [
      "an audit annotation that fails",
      { auditAnnotations: [{ key: "k", valueExpression: "string(object.nope)" }] },
      "422 Invalid: 'p' with binding 'p-b0' denied request: expression 'string(object.nope)' resulted in error: no such key: nope",
    ],
    [
      "an annotation",
      { auditAnnotations: [{ key: "k", valueExpression: "object.metadata.name.size() > 0 ? 'a' : 'b'" }] },
      "",
    ],
    [
      "other resources",
      {
        matchConstraints: { resourceRules: [{ ...configMaps.resourceRules[0], resources: ["secrets"] }] },
        validations: [{ expression: "false" }],
      },
      "",
    ],
    [
      "another name",
      {
        matchConstraints: { resourceRules: [{ ...configMaps.resourceRules[0], resourceNames: ["y"] }] },
        validations: [{ expression: "false" }],
      },
      "",
    ],
    [
      "everything but this name",
      {
        matchConstraints: {
          ...configMaps,
          excludeResourceRules: [{ ...configMaps.resourceRules[0], resourceNames: ["x"] }],
        },
        validations: [{ expression: "false" }],
      },
      "",
    ],
    [
      "labelled namespaces",
      {
        matchConstraints: { ...configMaps, namespaceSelector: { matchLabels: { a: "b" } } },
        validations: [{ expression: "false" }],
      },
      "",
    ],
  ])("with %s", async (_, policy, expected) => {
    const server = await serverWith(policy);
    expect(await outcome(server.create("configmaps", configMap("x")))).toBe(expected);
    expect(server.exists("configmaps", { namespace: "ns", name: "x" })).toBe(expected === "");
  });

  it("sees the new object, the old object, and the deleted object", async () => {
    const server = await serverWith({
      validations: [
        { expression: "request.operation != 'UPDATE' || object.data.n != oldObject.data.n", message: "no change" },
        { expression: "object != null || oldObject.data.n != '1'", message: "kept" },
        { expression: "oldObject == null || request.operation != 'CREATE'", message: "created twice" },
      ],
    });
    await server.create("configmaps", configMap("x", { n: "1" }));
    expect(await outcome(server.update("configmaps", configMap("x", { n: "1", m: "2" })))).toMatch(/no change$/);
    expect(await outcome(server.delete("configmaps", { namespace: "ns", name: "x" }))).toMatch(/kept$/);
    await server.update("configmaps", configMap("x", { n: "2" }));
    await server.delete("configmaps", { namespace: "ns", name: "x" });
  });

  it("is evaluated until it is changed, unbound or deleted", async () => {
    const server = await serverWith({ validations: [{ expression: "false" }] });
    const refusal = async () => (await outcome(server.create("configmaps", configMap("x"), dryRun))) !== "";
    const dryRun = { query: { dryRun: "All" } };
    expect(await refusal()).toBe(true);
    await server.patch(
      "validatingadmissionpolicies",
      { name: "p" },
      { spec: { validations: [{ expression: "true" }] } },
    );
    expect(await refusal()).toBe(false);
    expect(server.get("validatingadmissionpolicies", { name: "p" }).metadata.generation).toBe(2);
    await server.patch(
      "validatingadmissionpolicies",
      { name: "p" },
      { spec: { validations: [{ expression: "false" }] } },
    );
    await server.delete("validatingadmissionpolicybindings", { name: "p-b0" });
    expect(await refusal()).toBe(false);
    await server.create("validatingadmissionpolicybindings", { metadata: { name: "again" }, spec: deny });
    expect(await refusal()).toBe(true);
    await server.delete("validatingadmissionpolicies", { name: "p" });
    expect(await refusal()).toBe(false);
  });

  it("does not apply to policies and bindings, but to all other kinds", async () => {
    const everything = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] };
    const server = await serverWith({
      matchConstraints: { resourceRules: [everything] },
      validations: [{ expression: "false" }],
    });
    const denied = "422 Invalid: 'p' with binding 'p-b0' denied request: failed expression: false";
    await bind(server, "q", { validations: [{ expression: "true" }] }, [{ ...deny, policyName: "q" }]);
    await server.patch("validatingadmissionpolicies", { name: "q" }, { spec: { failurePolicy: "Ignore" } });
    await server.patch(
      "validatingadmissionpolicybindings",
      { name: "q-b0" },
      { spec: { validationActions: ["Warn"] } },
    );
    await server.delete("validatingadmissionpolicybindings", { name: "q-b0" });
    await server.delete("validatingadmissionpolicies", { name: "q" });
    expect(await outcome(server.create("validatingwebhookconfigurations", { metadata: { name: "w" } }))).toBe(denied);
    expect(await outcome(server.create("namespaces", { metadata: { name: "n" } }))).toBe(denied);
  });
});

describe("bindings", () => {
  const no = { validations: [{ expression: "object.metadata.name != 'x'", message: "no" }] };
  it("with the action Warn send a warning and allow the write", async () => {
    const server = await serverWith(no, { ...deny, validationActions: ["Warn", "Audit"] });
    await server.create("configmaps", configMap("x"));
    expect(server.warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-b0': no"]);
  });

  it("with the action Audit allow the write silently", async () => {
    const server = await serverWith(no, { ...deny, validationActions: ["Audit"] });
    await server.create("configmaps", configMap("x"));
    expect(server.warnings).toEqual([]);
    // The binding matches: with Deny it refuses the same write.
    await server.patch(
      "validatingadmissionpolicybindings",
      { name: "p-b0" },
      { spec: { validationActions: ["Audit", "Deny"] } },
    );
    const again = server.update("configmaps", configMap("x", { n: "1" }));
    expect(await outcome(again)).toBe("422 Invalid: 'p' with binding 'p-b0' denied request: no");
  });

  it("match on their own, and each names itself", async () => {
    const server = await serverWith(
      no,
      { ...deny, matchResources: { namespaceSelector: { matchLabels: { a: "b" } } } },
      { ...deny, matchResources: { resourceRules: [{ ...configMaps.resourceRules[0], operations: ["DELETE"] }] } },
      { ...deny, validationActions: ["Warn"] },
      { ...deny },
    );
    expect(await outcome(server.create("configmaps", configMap("x")))).toBe(
      "422 Invalid: 'p' with binding 'p-b3' denied request: no",
    );
    expect(server.warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p-b2': no"]);
  });

  it("of a missing policy are ignored until it exists", async () => {
    const server = new SmallServer();
    await server.createNamespaces("ns");
    await server.create("validatingadmissionpolicybindings", { metadata: { name: "b" }, spec: deny });
    expect(await outcome(server.create("configmaps", configMap("x")))).toBe("");
    await server.create("validatingadmissionpolicies", {
      metadata: { name: "p" },
      spec: { matchConstraints: configMaps, ...no },
    });
    expect(await outcome(server.update("configmaps", configMap("x", { n: "1" })))).toBe(
      "422 Invalid: 'p' with binding 'b' denied request: no",
    );
  });
});

describe("params", () => {
  const byParam: Spec = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    matchConstraints: { resourceRules: [{ ...configMaps.resourceRules[0], resources: ["secrets", "namespaces"] }] },
    validations: [
      {
        expression: "params == null || object.metadata.name.startsWith(params.data.prefix)",
        messageExpression: "params.kind + ' ' + params.metadata.name + ' wants ' + params.data.prefix",
      },
    ],
  };
  const ref = (paramRef: Spec): Spec => ({ ...deny, paramRef: { parameterNotFoundAction: "Deny", ...paramRef } });
  const secret = (name: string, namespace = "ns") => ({ metadata: { name, namespace } });

  it.each<[string, Spec, string]>([
    ["named in the object's namespace", ref({ name: "a" }), "ConfigMap a wants a-"],
    ["named in another namespace", ref({ name: "c", namespace: "other" }), "ConfigMap c wants c-"],
    ["selected by label", ref({ selector: { matchLabels: { kind: "rule" } } }), "ConfigMap a wants a-"],
    ["selected without a label", ref({ selector: {} }), "ConfigMap a wants a-"],
    ["none, without a paramRef", deny, ""],
    [
      "missing",
      ref({ name: "z" }),
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
    ["missing, with parameterNotFoundAction Allow", ref({ name: "z", parameterNotFoundAction: "Allow" }), ""],
    [
      "not selected",
      ref({ selector: { matchLabels: { no: "such" } } }),
      "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
    [
      "not selected, with parameterNotFoundAction Allow",
      ref({ selector: { matchLabels: { no: "such" } }, parameterNotFoundAction: "Allow" }),
      "",
    ],
  ])("%s", async (_, binding, expected) => {
    const server = await serverWith(byParam, binding);
    const labels = { kind: "rule" };
    await server.create("configmaps", { metadata: { name: "a", namespace: "ns", labels }, data: { prefix: "a-" } });
    await server.create("configmaps", { metadata: { name: "b", namespace: "ns", labels }, data: { prefix: "b-" } });
    await server.create("configmaps", { metadata: { name: "c", namespace: "other", labels }, data: { prefix: "c-" } });
    const got = await outcome(server.create("secrets", secret("x")));
    expect(got).toBe(expected && `422 Invalid: 'p' with binding 'p-b0' denied request: ${expected}`);
  });

  it("need a namespace in paramRef for cluster-scoped objects", async () => {
    const server = await serverWith(byParam, ref({ name: "a" }));
    await server.create("configmaps", configMap("a", { prefix: "" }));
    const nodes = { resourceRules: [{ ...configMaps.resourceRules[0], resources: ["nodes"] }] };
    await bind(server, "q", { ...byParam, matchConstraints: nodes }, [{ ...ref({ name: "a" }), policyName: "q" }]);
    expect(await outcome(server.create("nodes", { metadata: { name: "n" } }))).toMatch(
      /cannot use namespaced paramRef in policy binding that matches cluster-scoped resources$/,
    );
  });

  it("of a cluster-scoped kind have no namespace", async () => {
    const kind = {
      paramKind: { apiVersion: "v1", kind: "Namespace" },
      validations: [{ expression: "params.metadata.name == 'ns'" }],
    };
    const server = await serverWith(kind, ref({ name: "ns" }), ref({ name: "other", namespace: "ns" }));
    expect(await outcome(server.create("configmaps", configMap("x")))).toMatch(
      /'p-b1' denied request: failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`$/,
    );
  });

  it("of a kind that is not served refuse every write", async () => {
    const unknown = { paramKind: { apiVersion: "x.io/v1", kind: "Rule" }, validations: [{ expression: "true" }] };
    const server = await serverWith(unknown, ref({ name: "a" }));
    expect(await outcome(server.create("configmaps", configMap("x")))).toBe(
      "422 Invalid: 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'x.io/v1, Kind=Rule'",
    );
    const open = await serverWith({ ...unknown, failurePolicy: "Ignore" }, ref({ name: "a" }));
    expect(await outcome(open.create("configmaps", configMap("x")))).toBe("");
  });

  it("that a selector finds are each evaluated", async () => {
    const server = await serverWith(byParam, ref({ selector: {} }));
    await server.create("configmaps", configMap("a", { prefix: "a" }));
    await server.create("configmaps", configMap("b", { prefix: "ab" }));
    const refused = "422 Invalid: 'p' with binding 'p-b0' denied request: ConfigMap b wants ab";
    expect(await outcome(server.create("secrets", secret("a-only")))).toBe(refused);
    expect(await outcome(server.create("secrets", secret("ab-both")))).toBe("");
  });

  it("must be readable for the writer of the policy and binding", async () => {
    const server = new SmallServer();
    const rules = [{ apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] }];
    await server.create("clusterroles", { metadata: { name: "policies" }, rules });
    await server.create("clusterrolebindings", {
      metadata: { name: "policies" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "policies" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }],
    });
    const user: User = { name: "bob", groups: ["g"], extra: { k: ["v", "w"] } };
    const spec = { matchConstraints: configMaps, ...byParam };
    const policy = (name: string) =>
      server.create("validatingadmissionpolicies", { metadata: { name }, spec }, { user });
    const shown = "user &{bob  [g] map[k:[v w]]}";
    expect(await outcome(policy("p"))).toBe(
      `422 Invalid: ValidatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec.paramKind: Forbidden: ${shown} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
    );
    const binding = (spec: Spec) =>
      outcome(server.create("validatingadmissionpolicybindings", { metadata: { name: "b" }, spec }, { user }));
    expect(await binding(ref({ name: "a" }))).toContain(
      `spec.paramRef: Forbidden: unable to get policy p to determine minimum required permissions and ${shown} does not have "get" permission for all groups, versions and resources`,
    );
    await server.create("validatingadmissionpolicies", { metadata: { name: "p" }, spec });
    expect(await binding(ref({ selector: {} }))).toContain(
      `spec.paramRef: Forbidden: ${shown} does not have "list" permission on the object referenced by paramRef`,
    );
    expect(await binding(deny)).toBe("");
    await server.patch(
      "clusterroles",
      { name: "policies" },
      {
        rules: [...rules, { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
      },
    );
    expect(await outcome(policy("q"))).toBe("");
  });
});
