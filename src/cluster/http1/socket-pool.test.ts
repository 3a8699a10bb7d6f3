import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { SocketPool } from "./socket-pool.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Serve = (socket: Socket, request: string, count: number) => void;

/** A server that handles each chunk of a request as it arrives, and a pool of sockets to it. */
async function served(serve: Serve, maxSockets = 1) {
  const sockets: Socket[] = [];
  let requests = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => serve(socket, bytes.toString(), ++requests));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const pool = new SocketPool(() => connect(port, "127.0.0.1"), maxSockets);
  const ask = async (path = "/", method = "GET"): Promise<string> => {
    const answer = await pool.send(method, `${method} ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).response;
    return `${answer.status} ${await answer.text()}`;
  };
  closing.push(() => {
    pool.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { pool, ask, sockets, port };
}

const failure = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);
const answer = (body: string, more = ""): string =>
  `HTTP/1.1 200 OK\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const pathOf = (request: string): string => request.split(" ")[1] ?? "";
const echo: Serve = (socket, request) => void socket.write(answer(pathOf(request)));

describe("sockets", () => {
  test("are reused, and an exchange says whether its socket was", async () => {
    const { pool, ask, sockets } = await served(echo, 2);
    const first = pool.send("GET", "GET /1 HTTP/1.1\r\n\r\n");
    await (await first.response).text();
    expect(first.reused).toBe(false);
    const second = pool.send("GET", "GET /2 HTTP/1.1\r\n\r\n");
    expect(second.reused).toBe(true);
    expect(await (await second.response).text()).toBe("/2");
    expect(await ask("/3")).toBe("200 /3");
    expect([sockets.length, pool.size]).toEqual([1, 1]);
  });

  test("keep the process alive only while they are used", async () => {
    const calls: string[] = [];
    const { port } = await served(echo);
    const pool = new SocketPool(() => {
      const socket = connect(port, "127.0.0.1");
      for (const name of ["ref", "unref"] as const)
        vi.spyOn(socket, name).mockImplementation(() => (calls.push(name), socket));
      return socket;
    }, 1);
    for (const path of ["/1", "/2"]) await (await pool.send("GET", `GET ${path} HTTP/1.1\r\n\r\n`).response).text();
    expect(calls).toEqual(["unref", "ref", "unref"]);
    pool.close();
  });

  test("are limited in number, serve one request at a time, in order", async () => {
    const busy = new Set<Socket>();
    const seen: string[] = [];
    const { ask, pool } = await served((socket, request) => {
      expect(busy.has(socket)).toBe(false);
      busy.add(socket);
      seen.push(pathOf(request));
      setImmediate(() => {
        busy.delete(socket);
        echo(socket, request, 0);
      });
    }, 3);
    const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
    expect(await Promise.all(paths.map((path) => ask(path)))).toEqual(paths.map((path) => `200 ${path}`));
    expect(pool.size).toBe(3);
    expect(seen.toSorted()).toEqual(paths.toSorted());
  });

  test.each([
    ["says so", (socket: Socket) => void socket.write(answer("a", "Connection: close\r\n"))],
    ["says more than was asked for", (socket: Socket) => void socket.write(`${answer("a")}HTTP/1.1 200 OK`)],
    ["answers until the end", (socket: Socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\na")],
  ])("are not kept when the server %s", async (_, serve) => {
    const { ask, sockets } = await served(serve);
    expect([await ask(), await ask()]).toEqual(["200 a", "200 a"]);
    expect(sockets).toHaveLength(2);
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ["ends", (socket) => socket.end()],
    ["resets them", (socket) => socket.resetAndDestroy()],
    [
      "sends bytes without a request",
      (socket) => socket.write("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"),
    ],
  ])("that are idle are dropped when the server %s", async (_, act) => {
    const { ask, pool, sockets } = await served(echo);
    await ask();
    act(sockets[0] as Socket);
    await expect.poll(() => pool.size).toBe(0);
    expect(await ask("/again")).toBe("200 /again");
  });

  test("that the server is closing are not reused", async () => {
    const { port } = await served(echo);
    const opened: Socket[] = [];
    const pool = new SocketPool(() => opened[opened.push(connect(port, "127.0.0.1")) - 1] as Socket, 1);
    await (await pool.send("GET", "GET /1 HTTP/1.1\r\n\r\n").response).text();
    opened[0]?.destroy();
    const next = pool.send("POST", "POST /2 HTTP/1.1\r\n\r\n");
    expect(await (await next.response).text()).toBe("/2");
    expect(next.reused).toBe(false);
    pool.close();
  });

  test("are not reused when the response came before the whole request was sent", async () => {
    const { pool, ask, sockets } = await served((socket, request, count) => {
      if (count > 1) return echo(socket, request, 0);
      socket.pause();
      socket.write(answer("too large"));
    });
    const body = "x".repeat(20_000_000);
    const refused = pool.send("POST", `POST / HTTP/1.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    expect(await (await refused.response).text()).toBe("too large");
    expect(await ask("/next")).toBe("200 /next");
    expect(sockets).toHaveLength(2);
  });

  test("of a retired pool serve waiting requests and are then closed", async () => {
    const { ask, pool, sockets } = await served(echo);
    const asked = [ask("/1"), ask("/2")];
    pool.retire();
    expect(await Promise.all(asked)).toEqual(["200 /1", "200 /2"]);
    await expect.poll(() => pool.size).toBe(0);
    expect(sockets).toHaveLength(1);
  });

  test("of a closed pool fail all requests", async () => {
    const { ask, pool, sockets } = await served(() => {});
    const asked = [failure(ask()), failure(ask())];
    await expect.poll(() => sockets.length).toBe(1);
    pool.close();
    expect(await Promise.all(asked)).toMatchObject([{ code: "ECONNRESET" }, { message: "the client was closed" }]);
    await expect.poll(() => pool.size).toBe(0);
  });
});

describe("a request fails, and the next one succeeds,", () => {
  const then =
    (bad: (socket: Socket) => unknown): Serve =>
    (socket, request, count) =>
      void (count === 1 ? bad(socket) : echo(socket, request, count));

  test.each<[string, (socket: Socket) => unknown, object]>([
    ["when the server hangs up", (socket) => socket.end(), { code: "ECONNRESET", message: "socket hang up" }],
    ["when the server resets", (socket) => socket.resetAndDestroy(), { code: "ECONNRESET" }],
    ["when it breaks off in the head", (socket) => socket.end("HTTP/1.1 200 OK\r\n"), { message: "socket hang up" }],
    [
      "when it breaks off in the body",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"),
      { message: "the connection was closed before the response was complete" },
    ],
    [
      "when the answer is garbage",
      (socket) => socket.write("SSH-2.0-x\r\n"),
      { message: expect.stringMatching(/HTTP/) },
    ],
    [
      "when the body is garbage",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n"),
      { message: expect.stringMatching(/chunk's size/) },
    ],
  ])("%s", async (_, bad, expected) => {
    const { ask } = await served(then(bad));
    const [failed, next] = await Promise.all([failure(ask()), ask("/next")]);
    expect(failed).toMatchObject(expected);
    expect(next).toBe("200 /next");
  });

  test("when it is aborted while it runs, which closes its socket", async () => {
    const { pool, ask, sockets } = await served(then(() => {}));
    const sent = pool.send("GET", "GET / HTTP/1.1\r\n\r\n");
    const next = ask("/next");
    await expect.poll(() => sockets.length).toBe(1);
    sent.fail(new Error("enough"));
    await expect(sent.response).rejects.toThrow("enough");
    await next;
    expect(sockets[0]?.destroyed || sockets[0]?.readableEnded).toBe(true);
  });

  test("when it is aborted during the response, whether its body is awaited or not", async () => {
    const { pool } = await served((socket) => void socket.write("HTTP/1.1 200 OK\r\n\r\nab"), 2);
    const [early, late] = [pool.send("GET", "GET / HTTP/1.1\r\n\r\n"), pool.send("GET", "GET / HTTP/1.1\r\n\r\n")];
    const [first, second] = [await early.response, await late.response];
    const text = failure(first.text());
    for (const sent of [early, late]) sent.fail(new Error("enough"));
    expect(await text).toMatchObject({ message: "enough" });
    await expect.poll(() => pool.size).toBe(0);
    await expect(second.text()).rejects.toThrow("enough");
  });

  test("when it is aborted while it waits, which closes no socket", async () => {
    const { pool, ask, sockets } = await served(echo);
    const first = ask("/1");
    const sent = pool.send("GET", "GET /2 HTTP/1.1\r\n\r\n");
    sent.fail(new Error("enough"));
    await expect(sent.response).rejects.toThrow("enough");
    expect([await first, await ask("/3")]).toEqual(["200 /1", "200 /3"]);
    expect(sockets).toHaveLength(1);
  });

  test("unless it has ended: then an abort does nothing", async () => {
    const { pool, ask, sockets } = await served(echo);
    const sent = pool.send("GET", "GET /1 HTTP/1.1\r\n\r\n");
    const answered = await sent.response;
    const next = ask("/2");
    sent.fail(new Error("late"));
    expect([await answered.text(), await next]).toEqual(["/1", "200 /2"]);
    expect(sockets).toHaveLength(1);
  });

  test("when no server listens", async () => {
    const pool = new SocketPool(() => connect(1, "127.0.0.1"), 1);
    const asked = [1, 2, 3].map(async () => pool.send("GET", "GET / HTTP/1.1\r\n\r\n").response);
    for (const one of asked) await expect(one).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await expect.poll(() => pool.size).toBe(0);
  });
});

test.each([
  answer("ü and more"),
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\r\n\r\n",
])("an answer that ends at any of its bytes fails, each time at once: %j", async (whole) => {
  const bytes = Buffer.from(whole);
  const { ask, pool } = await served((socket, request) => {
    socket.end(bytes.subarray(0, Number(pathOf(request).slice(1))));
  }, 4);
  const all = await Promise.all(Array.from({ length: bytes.length }, (_, at) => failure(ask(`/${at}`))));
  expect(all.every((one) => (one as { code?: string }).code === "ECONNRESET")).toBe(true);
  expect(await ask(`/${bytes.length}`)).toMatch(/^200 /);
  await expect.poll(() => pool.size).toBe(0);
});

test("a response whose bytes arrive one at a time is complete", async () => {
  const bytes = Buffer.from(answer("ü€"));
  const { ask } = await served((socket) => {
    const next = (at: number): void => {
      if (at < bytes.length) socket.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
    };
    socket.setNoDelay(true);
    next(0);
  });
  expect([await ask(), await ask()]).toEqual(["200 ü€", "200 ü€"]);
});

test("large requests and responses arrive whole", async () => {
  const text = "ü€x".repeat(3_000_000);
  let received = 0;
  const { pool } = await served((socket, piece) => {
    received += piece.length;
    if (piece.endsWith("!")) socket.write(answer(text));
  });
  const body = `${"x".repeat(20_000_000)}!`;
  const sent = pool.send("POST", body);
  expect((await (await sent.response).text()) === text).toBe(true);
  expect(received).toBe(body.length);
});
