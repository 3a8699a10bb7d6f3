import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { adminKubeconfig, writeKubeconfig } from "./kubeconfig.ts";

test("has one name for cluster, user and context, and the given credentials", () => {
  const text = adminKubeconfig({
    server: "https://127.0.0.1:6443",
    caPem: "ca",
    certPem: "cert",
    keyPem: "key",
    token: "yes",
  });
  expect(parse(text)).toEqual({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "attune",
    clusters: [{ name: "attune", cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": "Y2E=" } }],
    contexts: [{ name: "attune", context: { cluster: "attune", user: "attune" } }],
    users: [
      { name: "attune", user: { "client-certificate-data": "Y2VydA==", "client-key-data": "a2V5", token: "yes" } },
    ],
  });
});

test.each(["no", "1_000", 'a"b', "a: b\nc: d", "*x"])("keeps the text %j whatever YAML could make of it", (name) => {
  const config = parse(adminKubeconfig({ server: "s", caPem: "", name, namespace: name, token: name }), {
    version: "1.1",
  });
  expect(config["current-context"]).toBe(name);
  expect(config.contexts[0].context).toEqual({ cluster: name, user: name, namespace: name });
  expect(config.users[0].user.token).toBe(name);
});

test("is readable by its owner only, also when it replaces a file", async () => {
  const dir = await mkdtemp(join(tmpdir(), "attune-kubeconfig-"));
  const path = join(dir, "kubeconfig");
  await writeKubeconfig(path, { server: "https://127.0.0.1:1", caPem: "ca" });
  await writeKubeconfig(path, { server: "https://127.0.0.1:2", caPem: "ca" });
  expect(parse(await readFile(path, "utf8")).clusters[0].cluster.server).toBe("https://127.0.0.1:2");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await rm(dir, { recursive: true });
});
