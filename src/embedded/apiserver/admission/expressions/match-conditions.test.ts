import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Attributes as Question, Authorizer } from "../../auth/user.ts";
import type { Lookup } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { attributesOf, resourceNamed } from "../testing/attributes.ts";
import { compileMatchConditions, evaluateMatchConditions, type MatchOutcome } from "./match-conditions.ts";
import { variablesFor, WriteFacts } from "./write-facts.ts";

const objects: Lookup = {
  head: (_, name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { team: "red" }, creationTimestamp: "2024-01-01T00:00:00Z" },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }),
  list: () => [],
};
/** Alice may create pods; accounts may see paths. */
const authorizer: Authorizer = {
  authorize: (user, question: Question) => {
    const allowed =
      question.type === "path" ? user.name.startsWith("system:serviceaccount:") : question.verb === "create";
    const about = question.type === "path" ? question.path : [question.resource, question.subresource, question.name];
    return { allowed, reason: `${user.name} ${question.verb} ${String(about)}` };
  },
};

function judged(conditions: readonly string[], attributes: Attributes): MatchOutcome {
  const compiled = compileMatchConditions(conditions.map((expression, i) => ({ name: `c${i}`, expression })));
  return evaluateMatchConditions(
    compiled,
    variablesFor(new WriteFacts(attributes, authorizer, objects), attributes.resource),
  );
}

const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "c", image: "nginx", ports: [{ containerPort: 80 }] }], priority: 5 },
};

describe("a condition that holds", () => {
  const created = attributesOf("pods", { object: pod });
  const deleted = attributesOf("pods", { operation: "DELETE", old: pod });
  const byAccount = attributesOf("pods", {
    user: {
      name: "system:serviceaccount:ns:a",
      uid: "u",
      groups: ["g1", "g2"],
      extra: { "authentication.kubernetes.io/node-name": ["n1"] },
    },
  });
  it.each<[string, Attributes]>([
    ["object.spec.containers.all(c, c.image.startsWith('nginx'))", created],
    ["object.spec.containers[0].ports[0].containerPort == 80 && object.spec.priority > 4", created],
    ["oldObject == null && object != null", created],
    ["object == null && oldObject.metadata.labels.app == 'web'", deleted],
    ["has(object.metadata.labels) && !has(object.metadata.annotations)", created],
    ["object.?metadata.?annotations.orValue({}).size() == 0", created],
    [
      "request.operation == 'CREATE' && request.name == 'p' && request.namespace == 'default' && !request.dryRun",
      created,
    ],
    ["request.kind.kind == 'Pod' && request.kind.group == '' && request.resource.resource == 'pods'", created],
    ["request.requestKind == request.kind && request.requestResource.version == 'v1'", created],
    ["!has(request.subResource) && !has(request.userInfo.uid) && !has(request.userInfo.extra)", created],
    ["request.options.kind == 'CreateOptions'", created],
    ["request.userInfo.username == 'system:serviceaccount:ns:a' && 'g2' in request.userInfo.groups", byAccount],
    ["request.userInfo.extra['authentication.kubernetes.io/node-name'][0] == 'n1'", byAccount],
    ["request.userInfo.extra[?'no-such-key'].orValue(['none'])[0] == 'none'", byAccount],
    [
      "request.subResource == 'scale' && request.kind.kind == 'Scale'",
      attributesOf("deployments", { subresource: "scale", kind: { ...resourceNamed("pods"), kind: "Scale" } }),
    ],
    ["request.namespace == 'blue'", attributesOf("namespaces", { name: "blue" })],
    ["namespaceObject.metadata.labels.team == 'red' && namespaceObject.status.phase == 'Active'", created],
    ["namespaceObject.metadata.creationTimestamp < timestamp('2025-01-01T00:00:00Z')", created],
    ["namespaceObject == null", attributesOf("namespaces", { name: "blue" })],
    ["authorizer.group('').resource('pods').check('create').allowed()", created],
    ["!authorizer.group('').resource('pods').check('delete').allowed()", created],
    ["authorizer.group('').resource('pods').check('get').reason() == 'alice get pods,,'", created],
    [
      "authorizer.group('').resource('pods').subresource('log').name('x').check('get').reason() == 'alice get pods,log,x'",
      created,
    ],
    ["authorizer.serviceAccount('ns', 'a').path('/healthz').check('get').allowed()", created],
    ["!authorizer.path('/healthz').check('get').allowed()", created],
    ["authorizer.requestResource.check('create').reason() == 'alice create pods,,p'", created],
    ["!authorizer.requestResource.check('create').errored()", created],
  ])("%s", (expression, attributes) => {
    expect(judged([expression], attributes)).toEqual({ type: "match" });
  });
});

describe("conditions together", () => {
  const write = attributesOf("pods", { object: pod });
  it.each<[string, string[], MatchOutcome]>([
    ["none", [], { type: "match" }],
    ["the first that is false is named", ["true", "false", "1 == 2"], { type: "mismatch", name: "c1" }],
    [
      "a false one outweighs an error",
      ["object.nope", "false"].map((e) => (e === "false" ? e : `${e} == 1`)),
      { type: "mismatch", name: "c1" },
    ],
    [
      "errors are reported",
      ["object.nope == 1", "true"],
      { type: "error", errors: ["expression 'object.nope == 1' resulted in error: no such key: nope"] },
    ],
    [
      "an answer of another type is refused when it is compiled",
      ["object.spec"],
      { type: "error", errors: ["compilation error: must evaluate to bool but got dyn"] },
    ],
    [
      "three questions about rights are too many for one condition",
      [
        "authorizer.requestResource.check('a').allowed() || authorizer.requestResource.check('b').allowed() || authorizer.requestResource.check('c').allowed()",
      ],
      {
        type: "error",
        errors: [
          "expression 'authorizer.requestResource.check('a').allowed() || authorizer.requestResource.check('b').allowed() || authorizer.requestResource.check('c').allowed()' resulted in error: operation cancelled: actual cost limit exceeded",
        ],
      },
    ],
    [
      "what they cost is counted together",
      Array.from({ length: 8 }, () => "!authorizer.requestResource.check('a').allowed()"),
      {
        type: "error",
        errors: ["validation failed due to running out of cost budget, no further validation rules will be run"],
      },
    ],
  ])("%s", (_, conditions, expected) => {
    expect(judged(conditions, write)).toEqual(expected);
  });

  it("show an object in the version that a rule named", () => {
    const v2 = { ...resourceNamed("pods"), group: "x", version: "v2", origin: "custom" as const };
    const v1 = { ...v2, version: "v1" };
    const attributes = attributesOf("pods", { resource: v2, object: { ...pod, apiVersion: "x/v2" } });
    const compiled = compileMatchConditions([
      {
        name: "versions",
        expression:
          "object.apiVersion == 'x/v1' && request.kind.version == 'v1' && request.requestKind.version == 'v2'",
      },
    ]);
    const variables = variablesFor(new WriteFacts(attributes, authorizer, objects), v1);
    expect(evaluateMatchConditions(compiled, variables)).toEqual({ type: "match" });
    expect(attributes.object?.apiVersion).toBe("x/v2");
  });
});
