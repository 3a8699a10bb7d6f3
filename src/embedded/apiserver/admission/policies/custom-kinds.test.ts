import { expect, it } from "vitest";
import { SmallServer } from "../../testing/small-server.ts";

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const rules = (apiVersions: string[]) => [
  { apiGroups: ["x.io"], apiVersions, operations: ["CREATE"], resources: ["widgets"] },
];

async function serverWithWidgets(): Promise<{ server: SmallServer; stop: () => void }> {
  const server = new SmallServer();
  const stop = server.startHousekeeping();
  await server.createNamespaces("ns");
  await server.create("customresourcedefinitions", {
    metadata: { name: "widgets.x.io" },
    spec: {
      group: "x.io",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
    },
  });
  await server.settled();
  return { server, stop };
}

async function install(server: SmallServer, name: string, spec: object, binding: object = {}): Promise<void> {
  await server.create("validatingadmissionpolicies", { metadata: { name }, spec: { ...spec } });
  await server.create("validatingadmissionpolicybindings", {
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"], ...binding },
  });
}

it("a policy on one version of a kind matches all versions, unless its matchPolicy is Exact", async () => {
  const { server, stop } = await serverWithWidgets();
  const validations = [
    {
      expression: "object.apiVersion != 'x.io/v1' || object.spec.size < 3",
      messageExpression: "request.kind.version + ' for ' + request.requestKind.version",
    },
  ];
  const write = (version: string) =>
    server.create(`widgets/${version}`, { metadata: { name: `w-${version}`, namespace: "ns" }, spec: { size: 3 } });
  await install(server, "p", { matchConstraints: { resourceRules: rules(["v1"]) }, validations });
  await expect(write("v2")).rejects.toThrow("denied request: v1 for v2");
  await expect(write("v1")).rejects.toThrow("denied request: v1 for v1");
  await server.patch(
    "validatingadmissionpolicies",
    { name: "p" },
    { spec: { matchConstraints: { matchPolicy: "Exact", resourceRules: rules(["v1"]) } } },
  );
  await expect(write("v1")).rejects.toThrow("denied request: v1 for v1");
  await write("v2");
  stop();
});

it("custom objects are params as soon as their kind is served", async () => {
  const { server, stop } = await serverWithWidgets();
  const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
  await install(
    server,
    "p",
    {
      paramKind: { apiVersion: "x.io/v2", kind: "Widget" },
      matchConstraints: { resourceRules },
      validations: [
        {
          expression: "int(object.data.size) <= params.spec.most",
          messageExpression: "params.apiVersion + ' ' + params.metadata.name + ': ' + string(params.spec.most)",
        },
      ],
    },
    { paramRef: { name: "limit", parameterNotFoundAction: "Deny" } },
  );
  const write = (size: string) =>
    server.create("configmaps", { metadata: { generateName: "x-", namespace: "ns" }, data: { size } });
  await expect(write("1")).rejects.toThrow("no params found");
  await server.create("widgets/v1", { metadata: { name: "limit", namespace: "ns" }, spec: { most: 5 } });
  await write("5");
  await expect(write("6")).rejects.toThrow("denied request: x.io/v2 limit: 5");
  await server.patch("widgets/v1", { namespace: "ns", name: "limit" }, { spec: { most: 6 } });
  await write("6");
  await server.delete("customresourcedefinitions", { name: "widgets.x.io" });
  await server.settled();
  await expect(write("1")).rejects.toThrow("failed to find resource referenced by paramKind: 'x.io/v2, Kind=Widget'");
  stop();
});
