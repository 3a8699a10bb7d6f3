import { expect, it, test } from "vitest";
import { redactObject, redactText } from "./redact.ts";

const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl";
const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----";

test.each([
  ["a token of a ServiceAccount", `sent ${jwt} to it`, "sent <redacted> to it"],
  ["a private key", `a\n${key}\nb`, "a\n<redacted>\nb"],
  ["a private key that is cut off", key.slice(0, 40), "<redacted>"],
  ["a key in base64", `key: ${Buffer.from(key).toString("base64")}`, "key: <redacted>"],
  ["a header", "Authorization: Bearer abcdefghijklmnop1234", "Authorization: Bearer <redacted>"],
  ["a token of OpenShift", `oc login --token=sha256~${"x".repeat(43)}`, "oc login --token=<redacted>"],
  ["a bootstrap token", "join abcdef.0123456789abcdef", "join <redacted>"],
  ["a user of an address", "https://me:hunter2@example.com/x", "https://<redacted>example.com/x"],
  ["a password in JSON", '{"password":"hunter22","a":1}', '{"password":"<redacted>","a":1}'],
  [
    "a file of a MachineConfig",
    "contents: {source: 'data:;base64,aHVudGVyMg=='}",
    "contents: {source: 'data:;base64,<redacted>'}",
  ],
  ["a short file", "source: data:,hunter2", "source: data:,<redacted>"],
  ["what is packed", `payload: ${"H4sIAAAAAAAA".repeat(40)}==`, "payload: <redacted>"],
  ["a hash of a password", "passwordHash: $6$abc", "passwordHash: <redacted>"],
  ["a setting", "api_key=0123abcd; next", "api_key=<redacted>; next"],
])("takes %s out of a text", (_, text, clean) => {
  expect(redactText(text)).toBe(clean);
});

test.each([
  "vm.dirty_background_bytes=67108864",
  "basic authentication failed",
  "isolcpus=managed_irq,1-3 nohz_full=1-3",
  "the secret attune-webhook-tls does not exist",
  "tokens are renewed every hour",
])("leaves %j as it is", (text) => {
  expect(redactText(text)).toBe(text);
});

it("leaves of an object what is no secret", () => {
  const clean = redactObject({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      managedFields: [{ manager: "kubectl" }],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", note: `of ${jwt}` },
    },
    spec: {
      imagePullSecrets: [{ name: "pull" }],
      containers: [
        {
          env: [
            { name: "A", value: "hunter2" },
            { name: "B", valueFrom: { secretKeyRef: { key: "k" } } },
          ],
        },
      ],
    },
  });
  expect(clean).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", annotations: { note: "of <redacted>" } },
    spec: {
      imagePullSecrets: [{ name: "pull" }],
      containers: [
        {
          env: [
            { name: "A", value: "<redacted> (7 characters)" },
            { name: "B", valueFrom: { secretKeyRef: { key: "k" } } },
          ],
        },
      ],
    },
  });
});

it("hides files and keys of a MachineConfig, and keeps its units and boot arguments", () => {
  const config = (source: string, hash: string): object => ({
    spec: {
      kernelArguments: ["nohz=on"],
      config: {
        passwd: { users: [{ name: "core", passwordHash: hash }] },
        storage: { files: [{ path: "/etc/pull", contents: { source } }] },
        systemd: { units: [{ name: "a.service", contents: "[Service]" }] },
      },
    },
  });
  const clean = redactObject({
    apiVersion: "v1",
    kind: "MachineConfig",
    metadata: { name: "m" },
    ...config("data:,hunter2", "$6$x"),
  });
  expect(clean).toMatchObject(config("<redacted> (13 characters)", "<redacted> (4 characters)"));
});

it("keeps nothing of a Secret but its name", () => {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    data: { a: "YQ==" },
    stringData: { b: "b" },
  };
  expect(redactObject(secret)).toEqual({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } });
});
