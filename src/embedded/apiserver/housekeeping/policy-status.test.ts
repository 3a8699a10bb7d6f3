import { describe, expect, it } from "vitest";
import { at } from "../../../language/object/json.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { SmallServer } from "../testing/small-server.ts";
import { reportPolicyStatus } from "./policy-status.ts";

type Spec = Readonly<Record<string, unknown>>;

const rule = (group: string, ...resources: string[]) => ({
  apiGroups: [group],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources,
});
const about = (...resourceRules: Spec[]): Spec => ({ matchConstraints: { resourceRules } });
const deployments = about(rule("apps", "deployments"));

async function statusOf(server: SmallServer, spec: Spec): Promise<unknown> {
  const stop = reportPolicyStatus(server.services, noLog);
  await server.create("validatingadmissionpolicies", { metadata: { name: "p" }, spec });
  await server.settled();
  stop();
  return server.get("validatingadmissionpolicies", { name: "p" }).status;
}

describe("the status of a policy", () => {
  const field = (name: string, kind: string, column: number, source: string): string =>
    `${kind}: ERROR: <input>:1:${column}: ${name}\n | ${source}\n | ${".".repeat(column - 1)}^\n`;
  it.each<[string, Spec, Spec[]]>([
    [
      "says nothing where all is well",
      {
        ...deployments,
        validations: [{ expression: "object.spec.replicas <= 5 && object.metadata.labels['a'] == 'b'" }],
      },
      [],
    ],
    [
      "says which fields there are not",
      {
        ...deployments,
        validations: [{ expression: "object.spec.replica <= 5", messageExpression: "string(object.spec.repl)" }],
      },
      [
        {
          fieldRef: "spec.validations[0].expression",
          warning: field("undefined field 'replica'", "apps/v1, Kind=Deployment", 12, "object.spec.replica <= 5"),
        },
        {
          fieldRef: "spec.validations[0].messageExpression",
          warning: field("undefined field 'repl'", "apps/v1, Kind=Deployment", 19, "string(object.spec.repl)"),
        },
      ],
    ],
    [
      "names each kind that lacks them",
      {
        ...about(rule("apps", "replicasets", "deployments"), rule("", "pods")),
        validations: [{ expression: "object.spec.paused == true" }],
      },
      [
        {
          fieldRef: "spec.validations[0].expression",
          warning: ["/v1, Kind=Pod", "apps/v1, Kind=ReplicaSet"]
            .map((kind) => field("undefined field 'paused'", kind, 12, "object.spec.paused == true"))
            .join("\n"),
        },
      ],
    ],
    [
      "says nothing of kinds that are not named",
      { ...about(rule("*", "pods")), validations: [{ expression: "object.nope == 1" }] },
      [],
    ],
    [
      "says nothing of kinds that are not served",
      { ...about(rule("x", "y")), validations: [{ expression: "object.nope == 1" }] },
      [],
    ],
    [
      "knows what variables hold",
      {
        ...deployments,
        variables: [{ name: "r", expression: "object.spec.replicas" }],
        validations: [{ expression: "variables.r == 'x'" }],
      },
      [
        {
          fieldRef: "spec.validations[0].expression",
          warning: field(
            "found no matching overload for '_==_' applied to '(int, string)'",
            "apps/v1, Kind=Deployment",
            13,
            "variables.r == 'x'",
          ),
        },
      ],
    ],
    [
      "knows what params hold",
      {
        ...about(rule("", "secrets")),
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        validations: [{ expression: "params.nope == 1" }],
      },
      [
        {
          fieldRef: "spec.validations[0].expression",
          warning: field("undefined field 'nope'", "/v1, Kind=Secret", 7, "params.nope == 1"),
        },
      ],
    ],
    [
      "knows params whose schema contains itself, but not below",
      {
        ...about(rule("", "secrets")),
        paramKind: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
        validations: [
          { expression: "params.spec.versions.all(v, v.schema.openAPIV3Schema.type == 'object')" },
          { expression: "params.spec.nope == 1" },
          { expression: "params.spec.versions[0].schema.openAPIV3Schema.properties['a'].type == 'b'" },
        ],
      },
      [
        {
          fieldRef: "spec.validations[1].expression",
          warning: field("undefined field 'nope'", "/v1, Kind=Secret", 12, "params.spec.nope == 1"),
        },
        {
          fieldRef: "spec.validations[2].expression",
          warning: field(
            "undefined field 'type'",
            "/v1, Kind=Secret",
            63,
            "params.spec.versions[0].schema.openAPIV3Schema.properties['a'].type == 'b'",
          ),
        },
      ],
    ],
  ])("%s", async (_, spec, warnings) => {
    expect(await statusOf(new SmallServer(), spec)).toEqual({
      observedGeneration: 1,
      typeChecking: warnings.length > 0 ? { expressionWarnings: warnings } : {},
    });
  });

  it("follows every change, and is written once for each", async () => {
    const server = new SmallServer();
    await statusOf(server, { ...deployments, validations: [{ expression: "object.spec.nope == 1" }] });
    const before = server.store.revision;
    // Changes while the controller was stopped are found at its start.
    await server.patch(
      "validatingadmissionpolicies",
      { name: "p" },
      { metadata: { labels: { a: "b" } }, spec: { validations: [{ expression: "true" }] } },
    );
    const stop = reportPolicyStatus(server.services, noLog);
    await server.settled();
    const { status, metadata } = server.get("validatingadmissionpolicies", { name: "p" });
    // Without warnings, server-side apply also removes the object that held them.
    expect(status).toEqual({ observedGeneration: 2 });
    expect(server.store.revision).toBe(before + 2);
    expect(metadata.managedFields?.find(({ subresource }) => subresource === "status")).toMatchObject({
      manager: "validatingadmissionpolicy-status",
      operation: "Apply",
    });
    await server.patch("validatingadmissionpolicies", { name: "p" }, { metadata: { labels: { a: "c" } } });
    await server.settled();
    expect(at(server.get("validatingadmissionpolicies", { name: "p" }), "status", "observedGeneration")).toBe(2);
    expect(server.store.revision).toBe(before + 3);
    await server.delete("validatingadmissionpolicies", { name: "p" });
    await server.settled();
    stop();
  });
});
