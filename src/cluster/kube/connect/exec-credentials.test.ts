import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../runtime/testing/virtual-clock.ts";
import { bearer } from "./credentials.ts";
import { type ExecPlugin, ExecCredentials, pluginEnvironment, readExecCredential } from "./exec-credentials.ts";

const v1 = "client.authentication.k8s.io/v1";
let directory = "";
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), "exec-"))));
afterEach(async () => rm(directory, { recursive: true }));

/** A plug-in that counts its runs in a file and returns the number as token. */
function counting(expires?: string): ExecPlugin {
  const file = join(directory, "runs");
  const script = `
    const fs = require("node:fs");
    const run = (fs.existsSync(${JSON.stringify(file)}) ? Number(fs.readFileSync(${JSON.stringify(file)}, "utf8")) : 0) + 1;
    fs.writeFileSync(${JSON.stringify(file)}, String(run));
    const status = { token: "token-" + run, expirationTimestamp: ${JSON.stringify(expires)} };
    console.log(JSON.stringify({ apiVersion: "${v1}", kind: "ExecCredential", status }));`;
  return { apiVersion: v1, command: process.execPath, args: ["-e", script], interactiveMode: "Never" };
}

test("a plug-in runs once for all requests until its token expires", async () => {
  const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  const credentials = new ExecCredentials(counting("2026-01-01T00:01:00Z"), { clock });
  expect(await Promise.all([credentials.current(), credentials.current()])).toEqual([
    bearer("token-1"),
    bearer("token-1"),
  ]);
  await clock.advance(59_999);
  expect(await credentials.current()).toEqual(bearer("token-1"));
  await clock.advance(1);
  expect(await credentials.current()).toEqual(bearer("token-2"));
  expect(await readFile(join(directory, "runs"), "utf8")).toBe("2");
});

test("a refused token makes it run again", async () => {
  const credentials = new ExecCredentials(counting());
  await credentials.current();
  expect(credentials.reject()).toBe(true);
  expect(await credentials.current()).toEqual(bearer("token-2"));
});

test("an aborted request does not wait for a plug-in that hangs", async () => {
  const endless = { ...counting(), args: ["-e", "setTimeout(() => {}, 5000)"] };
  const abort = new AbortController();
  const asked = new ExecCredentials(endless).current(abort);
  abort.abort();
  await expect(asked).rejects.toThrow("aborted");
});

describe("an error of a plug-in names it and does not quote its output", () => {
  test.each<[string, Partial<ExecPlugin>, string]>([
    ["exit code", { args: ["-e", "process.exit(3)"] }, "exit code 3"],
    ["not installed", { command: "no-such-plug-in", installHint: "get it there" }, "not found\nget it there"],
    ["no JSON", { args: ["-e", "console.log('s3cret')"] }, "not JSON"],
    ["a terminal is needed", { interactiveMode: "Always" }, "needs a terminal"],
  ])("%s", async (_, change, message) => {
    const credentials = new ExecCredentials({ ...counting(), ...change }, { terminal: false });
    const error = await credentials.current().catch((error: unknown) => error as Error);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect((error as Error).message).not.toContain("s3cret");
  });

  test("and the next run may succeed", async () => {
    const script = join(directory, "plugin.cjs");
    await writeFile(script, "process.exit(1)");
    const credentials = new ExecCredentials({ ...counting(), args: [script] });
    await expect(credentials.current()).rejects.toThrow("exit code 1");
    await writeFile(script, (counting().args ?? [])[1] ?? "");
    expect(await credentials.current()).toEqual(bearer("token-1"));
  });
});

describe("the output of a plug-in", () => {
  const plugin = counting();
  const answer = (status: unknown, apiVersion: string = v1): string =>
    JSON.stringify({ apiVersion, kind: "ExecCredential", status });
  test.each([
    ["of another version", answer({ token: "t" }, "client.authentication.k8s.io/v1beta1"), "not an ExecCredential of"],
    ["without status", answer(undefined), "no status"],
    ["with nothing in it", answer({}), "neither a token nor a certificate"],
    ["with half a pair", answer({ token: "t", clientKeyData: "k" }), "a certificate needs its key"],
    ["with a bad time", answer({ token: "t", expirationTimestamp: "later" }), "not a time"],
  ])("%s is refused", (_, output, message) => {
    expect(() => readExecCredential(output, plugin)).toThrow(message);
  });

  test("may be a certificate", () => {
    expect(readExecCredential(answer({ clientCertificateData: "C", clientKeyData: "K" }), plugin)).toEqual({
      authentication: { certificate: { cert: "C", key: "K" } },
      expires: Infinity,
    });
  });
});

test("a plug-in gets the cluster only if it requests it", () => {
  const cluster = { server: "https://api:6443", certificateAuthority: "CA", tlsServerName: "api" };
  const plugin = { ...counting(), cluster, clusterConfig: { audience: "x" }, env: [{ name: "PROFILE", value: "dev" }] };
  const infoFor = (provideClusterInfo: boolean): unknown => {
    const env = pluginEnvironment({ ...plugin, provideClusterInfo }, { PATH: "/bin", PROFILE: "other" }, false);
    expect(env).toMatchObject({ PATH: "/bin", PROFILE: "dev" });
    return JSON.parse(env["KUBERNETES_EXEC_INFO"] ?? "");
  };
  expect(infoFor(false)).toEqual({ apiVersion: v1, kind: "ExecCredential", spec: { interactive: false } });
  expect(infoFor(true)).toMatchObject({
    spec: {
      interactive: false,
      cluster: {
        server: "https://api:6443",
        "certificate-authority-data": btoa("CA"),
        "tls-server-name": "api",
        config: { audience: "x" },
      },
    },
  });
});
