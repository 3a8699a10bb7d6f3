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

/** Longer than a busy machine takes. */
const patient = { timeout: 100_000 };
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

async function serving(clientAuthorities?: () => string | undefined): Promise<number> {
  const metrics = { contentType: "text/plain", text: async () => "nto_build_info 1\n" };
  const server = new MetricsServer({
    address: "127.0.0.1:0",
    metrics,
    certificates: directory,
    clientAuthorities,
    clock,
  });
  running = server.run(stop.signal);
  await expect.poll(() => server.port).toBeGreaterThan(0);
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

interface Pair {
  readonly cert: string;
  readonly key: string;
}

function newAuthority(name: string): { pem: string; sign: (purpose: "client" | "server", expired?: boolean) => Pair } {
  const keys = newKeyPair();
  const [issuer, now] = [{ commonName: name }, Date.now()];
  const make = (
    purpose: "authority" | "client" | "server",
    of: ReturnType<typeof newKeyPair>,
    notAfter: number,
  ): string =>
    makeCertificate({
      subject: purpose === "authority" ? issuer : { commonName: "prometheus" },
      issuer,
      publicKey: of.publicKey,
      issuerKey: keys,
      purpose,
      notBefore: now - 10_000,
      notAfter,
    });
  return {
    pem: make("authority", keys, now + 3_600_000),
    sign(purpose, expired = false) {
      const own = newKeyPair();
      return { cert: make(purpose, own, now + (expired ? -1000 : 3_600_000)), key: privateKeyPem(own.privateKey) };
    },
  };
}

function get(
  port: number,
  how: typeof httpRequest | typeof httpsRequest,
  { path = "/metrics", client = {} }: { path?: string; client?: Partial<Pair> } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path, agent: false, rejectUnauthorized: false, ...client };
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
  expect(await get(port, httpRequest, { path: "/healthz" })).toBe("404 not found\n");
});

test("metrics are served over HTTPS, and no longer over HTTP, once a certificate is there", async () => {
  const port = await serving();
  await issue("first");
  await clock.advance(10_000);
  await expect.poll(() => get(port, httpsRequest)).toBe("200 nto_build_info 1\n");
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
    }, patient);
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

const answered = "200 nto_build_info 1\n";
const refused = "401 a client certificate of the cluster is required\n";

test("only clients with a certificate of a known authority are answered over HTTPS", async () => {
  await issue("server");
  const [known, other] = [newAuthority("known"), newAuthority("other")];
  const port = await serving(() => `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${known.pem}`);
  const scrape = (client?: Pair): Promise<string> => get(port, httpsRequest, client && { client });
  expect(await scrape(known.sign("client"))).toBe(answered);
  expect(await scrape()).toBe(refused);
  expect(await scrape(other.sign("client"))).toBe(refused);
  expect(await scrape(known.sign("client", true))).toBe(refused);
  expect(await scrape(known.sign("server"))).toBe(refused);
});

test("new authorities replace the old ones, also on connections that stay open", async () => {
  await issue("server");
  const [before, after] = [newAuthority("before"), newAuthority("after")];
  let authorities: string | undefined;
  const port = await serving(() => authorities);
  const scrape = (authority: typeof before): Promise<string> =>
    get(port, httpsRequest, { client: authority.sign("client") });
  // Until they are known, no client is answered.
  expect(await scrape(before)).toBe(refused);
  authorities = before.pem;
  await vi.waitFor(async () => {
    await clock.advance(1000);
    expect(await scrape(before)).toBe(answered);
  }, patient);
  const open = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...before.sign("client") });
  const closed = new Promise((resolve) => open.once("close", resolve));
  await new Promise((resolve) => open.once("secureConnect", resolve));
  authorities = after.pem;
  await clock.advance(10_000);
  await closed;
  expect(await scrape(after)).toBe(answered);
  expect(await scrape(before)).toBe(refused);
});

test.each(["", "no certificate"])("every client is answered where the authorities are %j", async (authorities) => {
  await issue("server");
  expect(await get(await serving(() => authorities), httpsRequest)).toBe(answered);
});
