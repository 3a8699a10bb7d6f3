import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExecCredentials } from "./exec-credentials.ts";
import { type LoadConnectionOptions, loadConnection } from "./load-connection.ts";

let directory = "";
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), "kubeconfig-"))));
afterEach(async () => rm(directory, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** An environment without this machine's configuration. */
function load(options: LoadConnectionOptions = {}): ReturnType<typeof loadConnection> {
  return loadConnection({ env: { HOME: directory }, serviceAccountDirectory: join(directory, "sa"), ...options });
}

/** A kubeconfig of one context `c`, with lines for its cluster and its user. */
function config({ cluster = "", user = "token: abc", context = "" } = {}): string {
  return `
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: k, cluster: {server: "https://api:6443", ${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: c, context: {cluster: k, user: u, ${context}}}]
`;
}

describe("a cluster is found in", () => {
  test("no place: then the error says what to do", async () => {
    await expect(load()).rejects.toThrow("no cluster: run attune up, or pass --kubeconfig");
  });

  test("a file named by --kubeconfig, which must exist", async () => {
    await expect(load({ kubeconfig: join(directory, "none") })).rejects.toThrow("none: no such file");
  });

  test("no file of $KUBECONFIG: then the error names the files, also in a pod", async () => {
    await file("sa/token", "pod-token\n");
    const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const env = { HOME: directory, KUBECONFIG: `${join(directory, "a")}:${join(directory, "b")}`, ...pod };
    await expect(load({ env })).rejects.toThrow(
      `no file of $KUBECONFIG exists: ${join(directory, "a")}, ${join(directory, "b")}`,
    );
  });

  test("the home directory", async () => {
    await file(".kube/config", config());
    expect(await load()).toMatchObject({ name: "c", namespace: "default", cluster: { server: "https://api:6443" } });
  });

  test("several files: the first entry of a name counts, missing files are skipped", async () => {
    const one = await file("one", config({ user: "token: first" }));
    const second = config({ user: "token: second", context: "namespace: two" }).replaceAll("c, context", "d, context");
    const two = await file("two", second.replace("current-context: c", "current-context: d"));
    const env = { HOME: directory, KUBECONFIG: `${join(directory, "none")}:${one}:${two}` };
    expect(await (await load({ env })).credentials.current()).toEqual({ authorization: "Bearer first" });
    expect(await load({ env })).toMatchObject({ name: "c" });
    expect(await load({ env, context: "d" })).toMatchObject({ name: "d", namespace: "two" });
  });

  test("the pod's service account, last", async () => {
    await file("sa/token", "pod-token\n");
    await file("sa/ca.crt", "CA");
    await file("sa/namespace", "operators");
    const env = { HOME: directory, KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    const connection = await load({ env });
    expect(connection).toMatchObject({
      name: "in-cluster",
      namespace: "operators",
      cluster: { server: "https://[fd00::1]:443", certificateAuthority: "CA" },
    });
    expect(await connection.credentials.current()).toEqual({ authorization: "Bearer pod-token" });
    await file(".kube/config", config());
    expect(await load({ env })).toMatchObject({ name: "c" });
  });

  test("the pod's service account, whose certificate authority may be missing but not unreadable", async () => {
    await file("sa/token", "pod-token\n");
    const env = { HOME: directory, KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const { cluster, namespace } = await load({ env });
    expect([cluster, namespace]).toEqual([
      { server: "https://10.0.0.1:443", certificateAuthority: undefined },
      "default",
    ]);
    const authority = join(directory, "sa/ca.crt");
    await mkdir(authority);
    await expect(load({ env })).rejects.toThrow(`read ${authority}: EISDIR`);
  });
});

describe("credentials of a user", () => {
  const certificate = { cert: "CERT", key: "KEY" };
  test.each<[string, string, unknown]>([
    ["a token", "token: abc", { authorization: "Bearer abc" }],
    ["a token of digits", "token: 12345", { authorization: "Bearer 12345" }],
    ["a password", "username: ada, password: x", { authorization: `Basic ${btoa("ada:x")}` }],
    ["a token file, before a token", "token: abc, tokenFile: t", { authorization: "Bearer from-file" }],
    ["certificate data", `client-certificate-data: ${btoa("CERT")}, client-key-data: ${btoa("KEY")}`, { certificate }],
    ["certificate files", "client-certificate: c.pem, client-key: k.pem", { certificate }],
    [
      "data before files",
      `client-certificate-data: ${btoa("CERT")}, client-certificate: none, client-key: k.pem`,
      { certificate },
    ],
    ["nothing", "", {}],
  ])("%s", async (_, user, expected) => {
    await file("t", "from-file\n");
    await file("c.pem", "CERT");
    await file("k.pem", "KEY");
    const connection = await load({ kubeconfig: await file("config", config({ user })) });
    expect(await connection.credentials.current()).toEqual(expected);
  });

  test("a plug-in", async () => {
    const user = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./get, interactiveMode: Never}";
    const connection = await load({ kubeconfig: await file("config", config({ user })) });
    expect(connection.credentials).toBeInstanceOf(ExecCredentials);
    // Relative to the kubeconfig, so that the message names the whole path.
    await expect(connection.credentials.current()).rejects.toThrow(`${join(directory, "get")}: not found`);
  });

  test("impersonation", async () => {
    const user = "token: t, as: bob, as-groups: [dev, ops], as-uid: '7', as-user-extra: {scope: [a, b]}";
    const connection = await load({ kubeconfig: await file("config", config({ user })) });
    expect(connection.impersonate).toEqual({
      user: "bob",
      groups: ["dev", "ops"],
      uid: "7",
      extra: { scope: ["a", "b"] },
    });
  });
});

describe("the connection has", () => {
  test("authority from a file beside the kubeconfig, server name, proxy", async () => {
    await file("ca.pem", "CA");
    const cluster = "certificate-authority: ca.pem, tls-server-name: other, proxy-url: 'http://p:1'";
    expect((await load({ kubeconfig: await file("config", config({ cluster })) })).cluster).toEqual({
      server: "https://api:6443",
      certificateAuthority: "CA",
      tlsServerName: "other",
      proxyUrl: "http://p:1",
    });
  });

  test("the environment's proxy, unless the kubeconfig names one", async () => {
    const env = { HTTPS_PROXY: "http://env:1" };
    const plain = await load({ env, kubeconfig: await file("a", config()) });
    const named = await load({ env, kubeconfig: await file("b", config({ cluster: "proxy-url: 'http://p:1'" })) });
    expect([plain.cluster.proxyUrl, named.cluster.proxyUrl]).toEqual(["http://env:1", "http://p:1"]);
  });

  test("the same from JSON", async () => {
    const text = JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "k", cluster: { server: "http://api", "insecure-skip-tls-verify": false } }],
      contexts: [{ name: "c", context: { cluster: "k" } }],
    });
    expect(await load({ kubeconfig: await file("config", text) })).toMatchObject({ cluster: { server: "http://api" } });
  });
});

describe("an invalid kubeconfig is an error that says why", () => {
  test.each<[string, string, string]>([
    ["not YAML", "a: [s3cret", "malformed"],
    ["a list", "- a", "not a kubeconfig"],
    ["another kind", "kind: Pod", 'kind is "Pod", not Config'],
    ["no current context", "kind: Config", "no current context; pass --context"],
    [
      "an unknown context",
      config().replace("current-context: c", "current-context: x"),
      'no context "x" (there are: c)',
    ],
    ["an unknown cluster", config().replace("name: k", "name: x"), 'names no known cluster ("k")'],
    ["an unknown user", config().replace("name: u", "name: x"), 'names no known user ("u")'],
    ["no server", config().replace('server: "https://api:6443",', ""), 'cluster "k" has no server'],
    [
      "a server of no known scheme",
      config().replace("https://api:6443", "ftp://api"),
      "not an http or https address: ftp://api",
    ],
    [
      "authority and insecure",
      config({ cluster: "certificate-authority-data: QQ==, insecure-skip-tls-verify: true" }),
      "has both",
    ],
    ["half a pair", config({ user: "client-certificate-data: QQ==" }), "a client certificate but no key"],
    ["a removed feature", config({ user: "auth-provider: {name: gcp}" }), "auth-provider"],
    [
      "an unknown exec version",
      config({ user: "exec: {apiVersion: x/v1alpha1, command: a}" }),
      "v1 and v1beta1 are supported",
    ],
    ["no command", config({ user: "exec: {apiVersion: client.authentication.k8s.io/v1beta1}" }), "has no command"],
    [
      "no mode",
      config({ user: "exec: {apiVersion: client.authentication.k8s.io/v1, command: a}" }),
      "has no interactiveMode",
    ],
    ["a nameless entry", "clusters: [{cluster: {}}]", "an entry of clusters has no name"],
  ])("%s", async (_, text, message) => {
    const error = await load({ kubeconfig: await file("config", text) }).catch((error: unknown) => error as Error);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect((error as Error).message).not.toContain("s3cret");
  });
});
