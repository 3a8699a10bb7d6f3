import { ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, test, vi } from "vitest";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import { BadReviewError } from "./handler.ts";
import { type Certificates, defaultLives, nextCertificates } from "../../cluster/certificate/serving-certificates.ts";
import { type ReviewAnswer, ReviewServer, type ReviewServerOptions, type Route } from "./review-server.ts";
import { collectGarbage } from "../../cluster/runtime/testing/collect-garbage.ts";
import { postOnOneConnection } from "../../cluster/runtime/testing/one-connection.ts";

const MiB = 1024 * 1024;

const certificates = (): Certificates =>
  nextCertificates({
    current: undefined,
    authority: "test-ca",
    names: ["127.0.0.1"],
    publishedAt: undefined,
    now: Date.now(),
    lives: defaultLives,
  });

const servers: ReviewServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close(0))));

type Limits = Pick<ReviewServerOptions, "maxHeldBytes" | "maxInFlight" | "clock"> & { maxBodyBytes?: number };

async function serving(answer: Route["answer"], { maxBodyBytes = MiB, ...limits }: Limits = {}) {
  const pair = certificates();
  const routes = new Map([["/r", { answer, maxBodyBytes }]]);
  const server = new ReviewServer({ host: "127.0.0.1", port: 0, routes, ...limits });
  servers.push(server);
  server.use({ certPem: pair["tls.crt"], keyPem: pair["tls.key"] });
  await server.listen();
  return { server, port: server.port, ca: pair["ca.crt"] };
}

interface Sent {
  path?: string;
  method?: string;
  type?: string;
  /** Without a content-length. */
  chunked?: boolean;
}

function post({ port, ca }: { port: number; ca: string }, body: string, sent: Sent = {}) {
  const { path = "/r", method = "POST", type = "application/json", chunked = false } = sent;
  return new Promise<{ code: number; body: { message?: string } }>((resolve, reject) => {
    const headers = { "content-type": type, ...(chunked ? {} : { "content-length": Buffer.byteLength(body) }) };
    const outgoing = httpsRequest({ host: "127.0.0.1", port, ca, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) as object }));
    });
    outgoing.on("error", reject);
    if (chunked) for (let i = 0; i < body.length; i += 1000) outgoing.write(body.slice(i, i + 1000));
    outgoing.end(chunked ? undefined : body);
  });
}

const answered = (review: object): ReviewAnswer => ({ review, record() {} });
const echo: Route["answer"] = async (body) => answered({ got: body });

describe("a review server", () => {
  test.each<[string, string, Sent, number]>([
    ["a review", "{}", {}, 200],
    ["a review with a query", "{}", { path: "/r?timeout=10s" }, 200],
    ["an unknown path", "{}", { path: "/x" }, 404],
    ["a GET request", "", { method: "GET" }, 405],
    ["another content type", "{}", { type: "text/plain" }, 415],
    ["a type with a charset", "{}", { type: "application/json; charset=utf-8" }, 200],
    ["a body that is not JSON", "{", {}, 400],
    ["an empty body", "", {}, 400],
    ["a body that is too large", `"${"x".repeat(5000)}"`, {}, 413],
    ["a body that is too large, without a content-length", `"${"x".repeat(5000)}"`, { chunked: true }, 413],
    ["unclosed nesting", "[".repeat(4000), {}, 400],
  ])("answers %s", async (_, body, sent, code) => {
    expect(await post(await serving(echo, { maxBodyBytes: 4096 }), body, sent)).toMatchObject({ code });
  });

  test.each([
    ["deep nesting", "[".repeat(MiB), "the review cannot be read: it nests deeper than 256 levels"],
    ["very many values", `[${"{},".repeat(200_000)}{}]`, "the review cannot be read: it has more than 250000 values"],
  ])("refuses %s without parsing it, which would need much memory and time", async (_, body, message) => {
    const parse = vi.spyOn(JSON, "parse");
    const one = await serving(echo);
    expect(await post(one, body)).toMatchObject({ code: 400, body: { message } });
    expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
    parse.mockRestore();
  });

  test("answers large reviews on one connection, whatever the answer before them has still to send", async () => {
    const body = `"${"x".repeat(300_000)}"`;
    const { port, ca } = await serving(async (got) => {
      // Bodies and sockets are handled in the next turns, as where a review takes long.
      await new Promise((resolve) => setImmediate(resolve));
      return echo(got);
    });
    const outcomes = await postOnOneConnection({ port, ca, path: "/r", body, times: 100 });
    expect(new Set(outcomes)).toEqual(new Set([200]));
  });

  test("answers a review of many values", async () => {
    const body = JSON.stringify(Array.from({ length: 120_000 }, (_, i) => [i]));
    expect(await post(await serving(echo, { maxBodyBytes: 2 * MiB }), body)).toMatchObject({ code: 200 });
  });

  test("reports what is wrong with a review, and hides its own failures", async () => {
    const bad = await serving(async () => {
      throw new BadReviewError("no uid");
    });
    expect(await post(bad, "{}")).toMatchObject({ code: 400, body: { message: "no uid" } });
    const broken = await serving(async () => {
      throw new Error("a secret");
    });
    expect(await post(broken, "{}")).toMatchObject({
      code: 500,
      body: { message: "internal error, see the log of the webhook" },
    });
  });

  test("refuses reviews above its limit, and accepts them when others are done", async () => {
    const gates: (() => void)[] = [];
    let entered = (): void => {};
    const one = await serving(
      async () => {
        await new Promise<void>((resolve) => {
          gates.push(resolve);
          entered();
        });
        return answered({});
      },
      { maxInFlight: 1 },
    );
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const first = post(one, "{}");
    await inside;
    expect(await post(one, "{}")).toMatchObject({ code: 503 });
    gates.pop()?.();
    expect(await first).toMatchObject({ code: 200 });
    const again = new Promise<void>((resolve) => (entered = resolve));
    const second = post(one, "{}");
    await again;
    gates.pop()?.();
    expect(await second).toMatchObject({ code: 200 });
  });

  const arrayBuffers = (): number => (collectGarbage(), process.memoryUsage().arrayBuffers);

  test("holds few bytes of bodies that never end, and still answers", async () => {
    const one = await serving(echo, { maxBodyBytes: 4 * MiB, maxHeldBytes: 16 * MiB });
    // One for all clients: sockets keep what they have not sent, and that is not the server's.
    const sent = Buffer.alloc(4 * MiB - 1, " ");
    const before = arrayBuffers();
    const sockets = await Promise.all(Array.from({ length: 40 }, () => halfSent(one.port, sent)));
    expect((arrayBuffers() - before) / MiB).toBeLessThan(64);
    expect(one.server.heldBytes).toBeLessThanOrEqual(16 * MiB);
    const large = JSON.stringify("x".repeat(3 * MiB));
    expect(await post(one, large)).toMatchObject({ code: 200 });
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => one.server.heldBytes).toBe(0);
  });

  test("holds few bytes of a body that arrives byte by byte", async () => {
    // A busy machine may need longer than the server waits for a body.
    const one = await serving(echo, { clock: new VirtualClock(0) });
    const { socket } = await connected(one.port);
    const held = (): number => arrayBuffers() + process.memoryUsage().heapUsed;
    const before = held();
    socket.write("POST /r HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
    socket.write("1\r\n \r\n".repeat(300_000));
    await expect.poll(() => one.server.heldBytes).toBe(300_000);
    expect((held() - before) / MiB).toBeLessThan(16);
    socket.destroy();
  });

  test("closes a connection whose body does not arrive in time", async () => {
    const clock = new VirtualClock(0);
    const one = await serving(echo, { clock });
    const socket = await halfSent(one.port, Buffer.alloc(999, " "));
    await expect.poll(() => one.server.heldBytes).toBeGreaterThan(0);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await clock.advance(10_000);
    await closed;
    await expect.poll(() => one.server.heldBytes).toBe(0);
  });

  test("sends the answer of a review, and records it then", async () => {
    const ends = vi.spyOn(ServerResponse.prototype, "end");
    let sent: number | undefined;
    const one = await serving(async () => ({ review: {}, record: () => (sent = ends.mock.calls.length) }));
    expect(await post(one, "{}")).toMatchObject({ code: 200 });
    expect(sent).toBe(1);
    ends.mockRestore();
  });

  test("finishes reviews in flight before it closes, and accepts no new ones", async () => {
    let leave = (): void => {};
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const slow = await serving(async () => {
      entered();
      await new Promise<void>((resolve) => (leave = resolve));
      return answered({ done: true });
    });
    const review = post(slow, "{}");
    await inside;
    const closed = slow.server.close(60_000);
    await expect(post(slow, "{}")).rejects.toThrow("ECONNREFUSED");
    leave();
    expect(await review).toMatchObject({ code: 200, body: { done: true } });
    await closed;
  });

  test("closes connections when the grace period is over", async () => {
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const stuck = await serving(async () => {
      entered();
      await new Promise(() => {});
      return answered({});
    });
    const review = post(stuck, "{}");
    const failed = expect(review).rejects.toThrow(/hang up|ECONNRESET/);
    await inside;
    await stuck.server.close(1);
    await failed;
  });

  test("serves a new certificate on new connections, and keeps open ones", async () => {
    const one = await serving(echo);
    const { server, port } = one;
    const open = await connected(port);
    const next = certificates();
    server.use({ certPem: next["tls.crt"], keyPem: next["tls.key"] });
    const fresh = await connected(port);
    expect(fresh.certificate.fingerprint256).not.toBe(open.certificate.fingerprint256);
    expect(await post({ port, ca: next["ca.crt"] }, "{}")).toMatchObject({ code: 200 });
    open.socket.write("POST /r HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    const [answer] = (await once(open.socket)) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
    open.socket.destroy();
    fresh.socket.destroy();
  });
});

/** `body`, of which a last byte never comes. Resolves when it is sent, or the server has closed the connection. */
async function halfSent(port: number, body: Buffer): Promise<TLSSocket> {
  const { socket } = await connected(port);
  const head = `POST /r HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length + 1}\r\n\r\n`;
  socket.on("error", () => {}); // The server may reset the connection.
  socket.write(head);
  await new Promise<void>((resolve) => {
    socket.write(body, () => resolve());
    socket.once("close", resolve);
  });
  return socket;
}

function once(socket: TLSSocket): Promise<unknown[]> {
  return new Promise((resolve) => socket.once("data", (...args) => resolve(args)));
}

function connected(port: number): Promise<{ socket: TLSSocket; certificate: PeerCertificate }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () =>
      resolve({ socket, certificate: socket.getPeerCertificate() }),
    );
    socket.once("error", reject);
  });
}
