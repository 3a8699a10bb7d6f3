import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectHttp2, constants, type ClientHttp2Session } from "node:http2";
import { get as httpsGet } from "node:https";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openAuthority } from "../../src/embedded/apiserver/auth/authority.ts";
import { ObjectStore } from "../../src/embedded/apiserver/storage/object-store.ts";
import { expectStatus, expectUnharmed } from "./survival.ts";
import { startVictim, type Victim } from "./victim.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

type Watch = ObjectStore["watch"];

/** Open watches of the store. */
let watches = 0;
let victim: Victim;
let restore: () => void;
beforeAll(async () => {
  const { value: watch } = Object.getOwnPropertyDescriptor(ObjectStore.prototype, "watch") as { value: Watch };
  ObjectStore.prototype.watch = function (...args) {
    const stop = watch.apply(this, args);
    let ended = false;
    watches++;
    return () => {
      if (!ended) watches--;
      ended = true;
      stop();
    };
  };
  restore = () => {
    ObjectStore.prototype.watch = watch;
  };
  victim = await startVictim();
});
afterEach(() => expectUnharmed(victim));
afterAll(async () => {
  restore();
  await victim.close();
});

const host = "127.0.0.1";
const bearer = (): string => `Bearer ${victim.admin.token}`;

function tcp(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(victim.server.port, host, () => resolve(socket));
    socket.on("error", reject);
  });
}

function tls(more: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      { host, port: victim.server.port, ca: victim.admin.caPem, ALPNProtocols: ["http/1.1"], ...more },
      () => resolve(socket),
    );
    socket.on("error", reject);
  });
}

/** A record of type 21 with two bytes, as often as OpenSSL sends one. */
// eslint-disable-next-line no-control-regex
const tlsAlertOrNothing = /^(\x15\x03[\x00-\x04]\x00\x02[^]{2})*$/;

/** Everything that the server sends until it closes the connection. */
function bytesOf(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(chunks)));
  });
}

/** The response until the server closes the connection, or until `enough`. */
function answerOf(socket: Socket, enough = (_text: string): boolean => false): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (enough(text)) {
        resolve(text);
        socket.destroy();
      }
    });
    socket.on("error", () => resolve(text));
    socket.on("close", () => resolve(text));
  });
}

function http2(): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(victim.server.url, { ca: victim.admin.caPem }, () => resolve(session));
    session.on("error", reject);
  });
}

describe("what is not HTTP", () => {
  it.each([
    ["plain HTTP", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["noise", "\u0016\u0003\u0001\u00ff\u00ff".repeat(1000)],
    ["zeros", "\0".repeat(10_000)],
    ["SSH", "SSH-2.0-OpenSSH_9.6\r\n"],
  ])("%s before TLS is cut off", async (_, text) => {
    const socket = await tcp();
    const answer = bytesOf(socket);
    socket.write(text, "latin1");
    // The socket stays open on this side: the server must close it, with nothing but a TLS alert.
    expect((await answer).toString("latin1")).toMatch(tlsAlertOrNothing);
  });

  it.each([
    ["noise", "\u0001\u0002\u0003\r\n\r\n"],
    ["an unknown method", "FOO BAR BAZ\r\n\r\n"],
    ["a header without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n"],
    ["a header with NUL", "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a length below zero", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
    ["a chunk without end", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"],
    ["headers without end", `GET / HTTP/1.1\r\n${`${"A".repeat(99)}: ${"b".repeat(100)}\r\n`.repeat(20_000)}`],
  ])("%s within TLS is cut off without a response", async (_, text) => {
    const socket = await tls();
    const answer = answerOf(socket);
    socket.write(text, "latin1");
    expect(await answer).toBe("");
  });

  it("an HTTP/2 preface in HTTP/1.1 and the reverse are refused", async () => {
    const socket = await tls();
    const answer = answerOf(socket);
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    expect(await answer).not.toMatch(/^HTTP\/1\.1 [25]/);
    const other = await tls({ ALPNProtocols: ["h2"] });
    const nothing = answerOf(other);
    other.write("GET /version HTTP/1.1\r\nHost: x\r\n\r\n".repeat(10));
    expect(await nothing).not.toContain("gitVersion");
  });

  it("CONNECT is refused, an upgrade is ignored", async () => {
    const socket = await tls();
    const answer = answerOf(socket);
    socket.write(`CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\n\r\n`);
    expect(await answer).toBe("");
    const upgrading = await victim.admin.get("/version", { headers: { connection: "upgrade", upgrade: "websocket" } });
    expect(upgrading.status).toBe(200);
  });
});

describe("unusual HTTP", () => {
  it("HTTP/1.0 is answered, and the connection closed", async () => {
    const socket = await tls();
    socket.write(`GET /version HTTP/1.0\r\nAuthorization: ${bearer()}\r\n\r\n`);
    expect(await answerOf(socket)).toContain('"major":"1"');
  });

  it("Expect: 100-continue is answered before the body comes", async () => {
    const socket = await tls();
    const body = JSON.stringify({ metadata: { name: "expected" } });
    socket.write(
      `POST ${configMaps}?dryRun=All HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
    );
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        if (text === "" && chunk.startsWith("HTTP/1.1 100")) socket.write(body);
        text += chunk;
      });
      socket.on("close", () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it("pipelined requests are answered in order", async () => {
    const socket = await tls();
    const request = (path: string, more = ""): string =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\n${more}\r\n`;
    socket.write(request("/version") + request("/nope") + request("/readyz", "Connection: close\r\n"));
    const codes = [...(await answerOf(socket)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code);
    expect(codes).toEqual(["200", "404", "200"]);
  });
});

describe("clients that disconnect in the middle", () => {
  it("of a body leave nothing behind", async () => {
    for (let i = 0; i < 20; i++) {
      const socket = await tls();
      socket.on("error", () => {});
      socket.write(
        `POST ${configMaps} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"metadata":{"name":"half-${i}"`,
      );
      if (i % 2) socket.destroy();
      else socket.end();
    }
    const session = await http2();
    for (let i = 0; i < 20; i++) {
      const stream = session.request({
        ":method": "POST",
        ":path": configMaps,
        authorization: bearer(),
        "content-type": "application/json",
      });
      stream.on("error", () => {});
      stream.write('{"metadata":{"name":"half-');
      stream.close(constants.NGHTTP2_CANCEL);
    }
    session.destroy();
    const { json } = await victim.admin.get(configMaps);
    expect(json.items.filter(({ metadata }) => metadata.name?.startsWith("half-"))).toEqual([]);
  });

  it("of thousands of requests on one connection leave no watch behind", async () => {
    const before = watches;
    const session = await http2();
    session.on("error", () => {});
    for (let i = 0; i < 3_000 && !session.destroyed; i++) {
      const stream = session.request({
        ":path": i % 2 ? configMaps : `${configMaps}?watch=true`,
        authorization: bearer(),
      });
      stream.on("error", () => {});
      stream.close(constants.NGHTTP2_CANCEL);
    }
    session.destroy();
    await expect.poll(() => watches).toBe(before);
  });

  it("of many watches leave no watch in the store", async () => {
    const before = watches;
    const sessions = await Promise.all(Array.from({ length: 4 }, http2));
    const streams = sessions.flatMap((session) =>
      Array.from({ length: 500 }, () => {
        const stream = session.request({ ":path": `${configMaps}?watch=true`, authorization: bearer() });
        stream.on("error", () => {});
        return stream;
      }),
    );
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once("response", resolve))));
    expect(watches).toBe(before + 2_000);
    for (const stream of streams.slice(0, 1_000)) stream.close(constants.NGHTTP2_CANCEL);
    for (const session of sessions.slice(2)) session.destroy();
    await expect.poll(() => watches).toBe(before);
    for (const session of sessions) session.destroy();
  });

  it("of HTTP/1.1 watches leave none either, nor do watches that were refused", async () => {
    const before = watches;
    const sockets = await Promise.all(Array.from({ length: 50 }, () => tls()));
    await Promise.all(
      sockets.map((socket) => {
        socket.write(`GET ${configMaps}?watch=true HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\n\r\n`);
        return new Promise((resolve) => socket.once("data", resolve));
      }),
    );
    for (const query of ["resourceVersion=x", "labelSelector=(", "fieldSelector=x%3Dy", "timeoutSeconds=x"])
      expect((await victim.admin.get(`${configMaps}?watch=true&${query}`)).status).toBeGreaterThanOrEqual(400);
    expect(watches).toBe(before + 50);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => watches).toBe(before);
  });
});

describe("bodies of which only a part arrives", () => {
  const begun = (token: string): string =>
    `POST ${configMaps}?timeout=50ms HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"metadata"`;

  it("are answered with 504 when the request's time is over, and the connection is closed", async () => {
    const socket = await tls();
    const answer = answerOf(socket);
    socket.write(begun(bearer()));
    expect(await answer).toMatch(/^HTTP\/1\.1 504 [^]*"reason":"Timeout"/);
  });

  it("are answered over HTTP/2 too, where only the stream is closed", async () => {
    const session = await http2();
    const begin = (method: string) =>
      session.request({ ":method": method, ":path": `${configMaps}?timeout=50ms`, authorization: bearer() });
    const stream = begin("POST");
    const status = new Promise((resolve) => stream.once("response", (headers) => resolve(headers[":status"])));
    const closed = new Promise((resolve) => stream.once("close", resolve));
    stream.resume().write("{");
    expect(await status).toBe(504);
    await closed;
    const next = begin("GET");
    expect(await new Promise((resolve) => next.once("response", (headers) => resolve(headers[":status"])))).toBe(200);
    session.destroy();
  });

  it("of a hostile client do not keep out the slow body of another", async () => {
    const { json } = await victim.admin.post("/api/v1/namespaces/default/serviceaccounts/default/token", {});
    const { token } = json.status as { token: string };
    const body = JSON.stringify({ metadata: { name: "slow" }, data: { text: "x".repeat(500_000) } });
    const good = await tls();
    const answer = answerOf(good);
    const head = `Host: x\r\nAuthorization: ${bearer()}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    good.write(`POST ${configMaps}?dryRun=All HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n`);
    good.write(body.slice(0, 300_000));
    const hostile = await http2();
    const most = Buffer.alloc(2.9 * 1024 * 1024, " ");
    const refusals = Array.from({ length: 60 }, () => {
      const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
      const stream = hostile.request({ ":method": "POST", ":path": path, authorization: `Bearer ${token}` });
      stream.on("error", () => {});
      stream.write(most);
      return new Promise((resolve) => stream.once("response", (headers) => resolve(headers[":status"])));
    });
    expect(await Promise.race(refusals)).toBe(429);
    good.write(body.slice(300_000));
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
    hostile.destroy();
  });

  it("of a client that is refused are not waited for without end", async () => {
    const socket = await tls();
    const answer = answerOf(socket);
    socket.write(begun("Bearer nobody"));
    expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("clients that do not read", () => {
  const mebibyte = 1024 * 1024;
  const large = (name: string, fill: string): object => ({
    metadata: { name },
    data: { text: fill.repeat(1_000_000) },
  });

  it("are dropped from a watch once their queue is too large", async () => {
    const before = watches;
    const socket = await tls();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.write(`GET ${configMaps}?watch=true HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\n\r\n`);
    await expect.poll(() => watches).toBe(before + 1);
    socket.pause();
    await victim.admin.post(configMaps, large("unread", "a"));
    let writes = 1;
    const isWatched = (): boolean => watches > before;
    for (; writes < 100 && isWatched(); writes++)
      await victim.admin.put(`${configMaps}/unread`, large("unread", String(writes % 10)));
    // The limit is in bytes, not time; the socket buffers of both sides come on top of it.
    expect(watches).toBe(before);
    expect(writes).toBeLessThan(64);
    socket.resume();
    await closed;
    await victim.admin.delete(`${configMaps}/unread`);
  });

  it("are distinguished from clients with a large initial state", async () => {
    for (let i = 0; i < 45; i++)
      expect((await victim.admin.post(configMaps, large(`much-${i}`, "b"))).status).toBe(201);
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=20";
    const added = await new Promise<number>((resolve, reject) => {
      let [count, tail] = [0, ""];
      httpsGet(
        {
          host,
          port: victim.server.port,
          path: `${configMaps}?${query}`,
          ca: victim.admin.caPem,
          headers: { authorization: bearer() },
        },
        (response) => {
          response.setEncoding("utf8").on("data", (chunk: string) => {
            const text = tail + chunk;
            count += text.split('"type":"ADDED"').length - 1;
            tail = text.slice(-14).includes('"ADDED"') ? "" : text.slice(-14);
            if (text.includes("initial-events-end")) {
              resolve(count);
              response.destroy();
            }
          });
          response.on("error", () => {});
          response.on("close", () => reject(new Error(`cut off after ${count} events`)));
        },
      ).on("error", reject);
    });
    expect(added).toBeGreaterThanOrEqual(45);
    await victim.admin.delete(configMaps);
  });

  it("do not delay other clients, whatever they have requested", async () => {
    for (let i = 0; i < 8; i++) await victim.admin.post(configMaps, large(`list-${i}`, "c"));
    const sockets = await Promise.all(Array.from({ length: 10 }, () => tls()));
    for (const socket of sockets) {
      socket.pause();
      socket.write(`GET ${configMaps} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer()}\r\n\r\n`);
    }
    expect((await victim.admin.get(configMaps)).text.length).toBeGreaterThan(8 * 0.9 * mebibyte);
    for (const socket of sockets) socket.destroy();
    await victim.admin.delete(configMaps);
  });
});

describe("invalid credentials", () => {
  it("a certificate of another authority is not trusted", async () => {
    const dir = await mkdtemp(join(tmpdir(), "attune-stranger-"));
    const stranger = await openAuthority(dir);
    await rm(dir, { recursive: true, force: true });
    const identity = stranger.issue({
      purpose: "client",
      commonName: "admin",
      organizations: ["system:masters"],
    } as never);
    const { status } = await victim.admin.get(configMaps, { identity });
    expect([401, 403]).toContain(status);
  });

  it("the server's own certificate does not authenticate an admin", async () => {
    const { serverCertPem: certPem, serverKeyPem: keyPem } = victim.server.authority;
    expect([401, 403]).toContain((await victim.admin.get(configMaps, { identity: { certPem, keyPem } })).status);
  });

  it.each(["nope", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "\u00ff", "__proto__"])(
    "the token %j is refused with 401",
    async (token) => {
      expectStatus(await victim.admin.get(configMaps, { token }), 401, "Unauthorized");
    },
  );
});
