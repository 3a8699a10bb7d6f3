import { describe, expect, test } from "vitest";
import { environmentOf, expand, readsForEnvironment } from "./environment.ts";
import type { NodeReads } from "../node/node-reads.ts";

const data = new Map([
  [
    "configMap/ns/settings",
    new Map([
      ["a", "1"],
      ["b", "2"],
    ]),
  ],
  ["secret/ns/keys", new Map([["token", "s"]])],
]);
const reads = {
  data: async (kind: string, namespace: string, name: string) => data.get(`${kind}/${namespace}/${name}`),
} as unknown as NodeReads;

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "ns", uid: "u", labels: { app: "web" } },
  spec: { nodeName: "n", serviceAccountName: "sa", containers: [] },
};

async function variables(container: object): Promise<unknown> {
  const environment = await environmentOf({
    pod,
    container: { name: "c", ...container },
    reads,
    hostIP: "127.0.0.1",
    podIP: "10.0.0.1",
    allocatable: { cpu: "4", memory: "8Gi" },
    server: "https://[::1]:6443",
  });
  return environment.type === "ready" ? environment.variables : environment.message;
}

const field = (fieldPath: string) => ({ env: [{ name: "X", valueFrom: { fieldRef: { fieldPath } } }] });
const resource = (resourceFieldRef: object) => ({
  resources: { limits: { memory: "64Mi" }, requests: { cpu: "250m" } },
  env: [{ name: "X", valueFrom: { resourceFieldRef } }],
});
const key = (kind: "configMapKeyRef" | "secretKeyRef", ref: object) => ({
  env: [{ name: "X", valueFrom: { [kind]: ref } }],
});

describe("the environment of a container", () => {
  test("has the address of the API server", async () => {
    expect(await variables({})).toEqual({
      HOSTNAME: "p",
      KUBERNETES_SERVICE_HOST: "::1",
      KUBERNETES_SERVICE_PORT: "6443",
    });
  });

  test.each([
    [field("metadata.name"), "p"],
    [field("metadata.uid"), "u"],
    [field("metadata.labels['app']"), "web"],
    [field("metadata.labels['constructor']"), ""],
    [field("metadata.labels"), 'app="web"'],
    [field("spec.nodeName"), "n"],
    [field("spec.serviceAccountName"), "sa"],
    [field("status.hostIP"), "127.0.0.1"],
    [field("status.podIPs"), "10.0.0.1"],
    [resource({ resource: "limits.cpu" }), "4"],
    [resource({ resource: "requests.cpu" }), "1"],
    [resource({ resource: "requests.cpu", divisor: "1m" }), "250"],
    [resource({ resource: "limits.memory", divisor: "1Mi" }), "64"],
    [key("configMapKeyRef", { name: "settings", key: "a" }), "1"],
    [key("secretKeyRef", { name: "keys", key: "token" }), "s"],
    [key("secretKeyRef", { name: "none", key: "token", optional: true }), undefined],
    [
      {
        env: [
          { name: "A", value: "1" },
          { name: "X", value: "$(A)$(B)$$(A)" },
        ],
      },
      "1$(B)$(A)",
    ],
    [{ envFrom: [{ prefix: "S_", configMapRef: { name: "settings" } }], env: [{ name: "X", value: "$(S_b)" }] }, "2"],
    [
      {
        env: [
          { name: "__proto__", value: "1" },
          { name: "X", value: "$(__proto__)" },
        ],
      },
      "1",
    ],
  ])("has a value from %j", async (container, value) => {
    expect(((await variables(container)) as Record<string, string>)["X"]).toBe(value);
  });

  test.each([
    [key("configMapKeyRef", { name: "none", key: "a" }), 'configmap "none" not found'],
    [key("configMapKeyRef", { name: "settings", key: "z" }), "couldn't find key z in ConfigMap ns/settings"],
    [key("secretKeyRef", { name: "keys", key: "z" }), "couldn't find key z in Secret ns/keys"],
    [{ envFrom: [{ secretRef: { name: "none" } }] }, 'secret "none" not found'],
  ])("is blocked by %j", async (container, message) => {
    expect(await variables(container)).toBe(message);
    expect(readsForEnvironment({ name: "c", ...container })).toBe(true);
  });
});

test.each([
  ["$(A)", "1"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$A $", "$A $"],
  ["$(A", "$(A"],
  ["$()", "$()"],
])("%j becomes %j", (text, result) => {
  expect(expand(text, new Map([["A", "1"]]))).toBe(result);
});
