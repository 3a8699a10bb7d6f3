import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, type Server, type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TLSSocket, createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isUnreachable } from "../../src/cluster/kube/api-error.ts";
import type { Cluster } from "../../src/cluster/kube/connect/connection.ts";
import { type Credentials, bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { type Authority, openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";

let directory = "";
let authority: Authority;
let stranger: Authority;
const closing: (() => void)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "secure-"));
  authority = await openAuthority(join(directory, "ours"));
  stranger = await openAuthority(join(directory, "theirs"));
});
afterAll(async () => rm(directory, { recursive: true }));
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function portOf(server: Server): Promise<number> {
  closing.push(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A server with a certificate for these names that responds with the client's user and the server name it sent. */
async function secureServer(names: readonly string[]): Promise<string> {
  const { certPem, keyPem } = authority.issue({ commonName: "server", purpose: "server", names });
  const options = { cert: certPem, key: keyPem, ca: authority.caPem, requestCert: true, rejectUnauthorized: false };
  const server = createHttpsServer(options, (request, response) => {
    const socket = request.socket as TLSSocket & { servername?: string | false };
    const peer = socket.getPeerCertificate() as { subject?: { CN?: string } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ user: peer.subject?.CN ?? "anonymous", name: socket.servername }));
  });
  closing.push(() => server.closeAllConnections());
  return `https://127.0.0.1:${await portOf(server)}`;
}

function clientFor(cluster: Cluster, credentials: Credentials = staticCredentials({})): HttpClient {
  const client = new HttpClient({ cluster, credentials, namespace: "default", name: "test" });
  closing.push(() => client.close());
  return client;
}

async function failureOf(client: HttpClient): Promise<string> {
  const error = await client.raw("GET", "/").catch((error: unknown) => error);
  expect(isUnreachable(error)).toBe(true);
  return (error as Error).message;
}

describe("a server is", () => {
  test("trusted when our authority signed a certificate for its address", async () => {
    const server = await secureServer(["127.0.0.1"]);
    expect(await clientFor({ server, certificateAuthority: authority.caPem }).raw("GET", "/")).toMatchObject({
      user: "anonymous",
    });
  });

  test("not trusted when another authority signed it", async () => {
    const server = await secureServer(["127.0.0.1"]);
    expect(await failureOf(clientFor({ server, certificateAuthority: stranger.caPem }))).toMatch(/certificate/);
    expect(await failureOf(clientFor({ server }))).toMatch(/certificate/);
  });

  test("not trusted under another name, unless tlsServerName is that name", async () => {
    const server = await secureServer(["api.internal"]);
    const cluster = { server, certificateAuthority: authority.caPem };
    expect(await failureOf(clientFor(cluster))).toMatch(/127\.0\.0\.1 is not in the cert's list/);
    expect(await clientFor({ ...cluster, tlsServerName: "api.internal" }).raw("GET", "/")).toMatchObject({
      name: "api.internal",
    });
  });

  test("trusted when tlsServerName is an address in its certificate, which is no name to send", async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error): void => void warnings.push(warning);
    process.on("warning", keep);
    closing.push(() => process.off("warning", keep));
    const server = await secureServer(["10.0.0.1"]);
    const cluster = { server, certificateAuthority: authority.caPem };
    expect(await clientFor({ ...cluster, tlsServerName: "10.0.0.1" }).raw("GET", "/")).toMatchObject({ name: false });
    expect(await failureOf(clientFor({ ...cluster, tlsServerName: "10.0.0.2" }))).toMatch(/10\.0\.0\.2 is not in/);
    expect(warnings).toEqual([]);
  });

  test("sent nothing until it is trusted", async () => {
    const { certPem, keyPem } = authority.issue({ commonName: "server", purpose: "server", names: ["elsewhere"] });
    const heard: Buffer[] = [];
    const server = createTlsServer({ cert: certPem, key: keyPem }, (socket) => {
      socket.on("data", (bytes: Buffer) => heard.push(bytes));
      socket.on("error", () => {});
    });
    const closed = new Promise((resolve) =>
      server.once("connection", (socket: Socket) => socket.once("close", resolve)),
    );
    const cluster = { server: `https://127.0.0.1:${await portOf(server)}`, certificateAuthority: authority.caPem };
    await failureOf(clientFor(cluster, staticCredentials(bearer("secret"))));
    await closed;
    expect(heard).toEqual([]);
  });

  test("not verified with insecureSkipTlsVerify", async () => {
    const server = await secureServer(["elsewhere"]);
    expect(await clientFor({ server, insecureSkipTlsVerify: true }).raw("GET", "/")).toMatchObject({
      user: "anonymous",
    });
  });
});

test("a client sends its certificate, and a renewed one as soon as it has it", async () => {
  const server = await secureServer(["127.0.0.1"]);
  const certificateOf = (commonName: string): { certificate: { cert: string; key: string } } => {
    const { certPem, keyPem } = authority.issue({ commonName, purpose: "client" });
    return { certificate: { cert: certPem, key: keyPem } };
  };
  let current = certificateOf("ada");
  const client = clientFor(
    { server, certificateAuthority: authority.caPem },
    { current: async () => current, reject: () => false },
  );
  expect(await client.raw("GET", "/")).toMatchObject({ user: "ada" });
  expect(await client.raw("GET", "/")).toMatchObject({ user: "ada" });
  expect(client.sockets).toBe(1);
  current = certificateOf("bob");
  expect(await client.raw("GET", "/")).toMatchObject({ user: "bob" });
  expect(client.sockets).toBe(1);
});

test("the next connection to a server resumes the TLS session", async () => {
  const { certPem, keyPem } = authority.issue({ commonName: "server", purpose: "server", names: ["127.0.0.1"] });
  const resumed: boolean[] = [];
  const server = createHttpsServer({ cert: certPem, key: keyPem }, (request, response) => {
    resumed.push((request.socket as TLSSocket).isSessionReused());
    response.setHeader("connection", "close");
    response.end();
  });
  const client = clientFor({
    server: `https://127.0.0.1:${await portOf(server)}`,
    certificateAuthority: authority.caPem,
  });
  for (let times = 0; times < 2; times++) await client.raw("GET", "/");
  expect(resumed).toEqual([false, true]);
});

describe("a proxy", () => {
  /** A proxy that requires a password. */
  async function tunnelling(): Promise<{ port: number; asked: (string | undefined)[] }> {
    const asked: (string | undefined)[] = [];
    const proxy = createHttpServer();
    proxy.on("connect", (request: IncomingMessage, client) => {
      asked.push(request.url);
      if (request.headers["proxy-authorization"] !== `Basic ${btoa("me:p@ss")}`) {
        client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
        return;
      }
      const [host, port] = (request.url ?? "").split(":");
      const upstream = connect(Number(port), host, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      client.on("error", () => upstream.destroy());
      upstream.on("error", () => client.destroy());
    });
    return { port: await portOf(proxy), asked };
  }

  test("gives a tunnel, inside which the server's certificate is verified", async () => {
    const server = await secureServer(["127.0.0.1"]);
    const { port, asked } = await tunnelling();
    const proxyUrl = `http://me:p%40ss@127.0.0.1:${port}`;
    const client = clientFor({ server, certificateAuthority: authority.caPem, proxyUrl });
    expect(await client.raw("GET", "/")).toMatchObject({ user: "anonymous" });
    expect(await client.raw("GET", "/")).toMatchObject({ user: "anonymous" });
    expect(asked).toEqual([new URL(server).host]);
    expect(await failureOf(clientFor({ server, certificateAuthority: stranger.caPem, proxyUrl }))).toMatch(
      /certificate/,
    );
  });

  test("also reaches servers without TLS", async () => {
    const port = await portOf(createHttpServer((_, response) => response.end("plain")));
    const proxy = await tunnelling();
    const client = clientFor({
      server: `http://127.0.0.1:${port}`,
      proxyUrl: `http://me:p%40ss@127.0.0.1:${proxy.port}`,
    });
    expect(await client.raw("GET", "/")).toBe("plain");
    expect(proxy.asked).toEqual([`127.0.0.1:${port}`]);
  });

  test("that refuses, or is unreachable, is named", async () => {
    const server = await secureServer(["127.0.0.1"]);
    const { port } = await tunnelling();
    expect(await failureOf(clientFor({ server, proxyUrl: `http://127.0.0.1:${port}` }))).toMatch(
      /use proxy .*: it responded to CONNECT .* with 407/,
    );
    expect(await failureOf(clientFor({ server, proxyUrl: "http://127.0.0.1:1" }))).toMatch(
      /use proxy 127\.0\.0\.1:1: .*ECONNREFUSED/,
    );
  });

  test("of an unsupported protocol is refused", async () => {
    expect(await failureOf(clientFor({ server: "https://127.0.0.1:1", proxyUrl: "socks5://127.0.0.1:1" }))).toMatch(
      /only http and https proxies/,
    );
  });
});
