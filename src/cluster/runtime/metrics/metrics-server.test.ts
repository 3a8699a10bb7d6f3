import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type PeerCertificate } from "node:tls";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeCertificate, newKeyPair, privateKeyPem } from "../../certificate/certificate.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { MetricsServer } from "./metrics-server.ts";

const clock = new VirtualClock(Date.now());
let directory = "";
let stop = new AbortController();
let running: Promise<void> | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "attune-metrics-"));
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
  await rm(directory, { recursive: true, force: true });
});

async function serving(): Promise<number> {
  const metrics = { contentType: "text/plain", text: async () => "nto_build_info 1\n" };
  const server = new MetricsServer({ address: "127.0.0.1:0", metrics, certificates: directory, clock });
  running = server.run(stop.signal);
  await vi.waitFor(() => expect(server.port).toBeGreaterThan(0));
  return server.port;
}

/** As OpenShift's service CA writes them to the Secret of a Service. */
async function issue(name: string): Promise<{ cert: string; key: string }> {
  const keys = newKeyPair();
  const [subject, now] = [{ commonName: name }, Date.now()];
  const cert = makeCertificate({
    subject,
    issuer: subject,
    publicKey: keys.publicKey,
    issuerKey: keys,
    purpose: "server",
    names: [name],
    notBefore: now - 1000,
    notAfter: now + 3_600_000,
  });
  const key = privateKeyPem(keys.privateKey);
  await writeFile(join(directory, "tls.crt"), cert);
  await writeFile(join(directory, "tls.key"), key);
  return { cert, key };
}

function get(port: number, how: typeof httpRequest | typeof httpsRequest, path = "/metrics"): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, agent: false, rejectUnauthorized: false };
    const request = how(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    request.on("error", reject).end();
  });
}

function served(port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test("metrics are served over plain HTTP where there is no certificate", async () => {
  const port = await serving();
  expect(await get(port, httpRequest)).toBe("200 nto_build_info 1\n");
  expect(await get(port, httpRequest, "/healthz")).toBe("404 not found\n");
});

test("metrics are served over HTTPS, and no longer over HTTP, once a certificate is there", async () => {
  const port = await serving();
  await issue("first");
  await clock.advance(10_000);
  await vi.waitFor(async () => expect(await get(port, httpsRequest)).toBe("200 nto_build_info 1\n"));
  await expect(get(port, httpRequest)).rejects.toThrow(/hang up|ECONNRESET|Parse Error/);
});

test("a new certificate is served when the Secret is deleted and issued again, twice", async () => {
  await issue("first");
  const port = await serving();
  expect((await served(port)).subject.CN).toBe("first");
  for (const name of ["second", "third"]) {
    await rm(join(directory, "tls.crt"));
    await rm(join(directory, "tls.key"));
    await clock.advance(10_000);
    expect((await served(port)).subject.CN).not.toBe(name);
    await issue(name);
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect((await served(port)).subject.CN).toBe(name);
    });
  }
});

test("a certificate without its key is not served", async () => {
  await issue("first");
  const port = await serving();
  const { key } = await issue("second");
  await issue("third");
  await writeFile(join(directory, "tls.key"), key);
  await clock.advance(10_000);
  expect((await served(port)).subject.CN).toBe("first");
});
