import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../runtime/testing/virtual-clock.ts";
import { bearer, staticCredentials } from "../connect/credentials.ts";
import { HttpClient } from "../http-client.ts";
import { runInPod, type RunInPodOptions } from "./run-in-pod.ts";

const program = { namespace: "n", pod: "p", container: "agent", command: ["cat", "/proc/a b"] };
const [stdout, stderr, status] = [1, 2, 3];
const success = { status: "Success" };

/** A frame as servers send them: without a mask. */
function frame(payload: Buffer, { opcode = 2, final = true } = {}): Buffer {
  const { length } = payload;
  const head = length < 126 ? Buffer.alloc(2) : length < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = (final ? 0x80 : 0) | opcode;
  head[1] = head.length === 2 ? length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

const on = (channel: number, text: string): Buffer => Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
const message = (channel: number, text: string): Buffer => frame(on(channel, text));
const ending = (answer: object): Buffer => message(status, JSON.stringify(answer));
const closing = frame(Buffer.from([0x03, 0xe8]), { opcode: 8 });

type Upgraded = (socket: Duplex, request: IncomingMessage) => void;

/** An API server that opens a stream, and the client of a user. */
async function serving(upgraded: Upgraded | undefined, accept?: string) {
  const seen: IncomingMessage[] = [];
  const server = createServer((_, response) => {
    const message = 'pods "p" is forbidden: User "u" cannot create resource "pods/exec"';
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden", message }));
  });
  if (upgraded)
    server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
      seen.push(request);
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const proof = accept ?? createHash("sha1").update(key).digest("base64");
      socket.on("error", () => {});
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
      );
      upgraded(socket, request);
    });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const credentials = staticCredentials(bearer("secret-of-the-user"));
  const cluster = { server: `http://127.0.0.1:${port}` };
  const client = new HttpClient({ cluster, credentials, namespace: "default", name: "test" });
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { seen, run: (options?: RunInPodOptions) => runInPod(client, program, options) };
}

/** The answer to a server that sends these bytes. */
async function answerTo(bytes: Buffer): ReturnType<typeof runInPod> {
  const { run } = await serving((socket) => socket.end(bytes));
  return run();
}

test("asks with the user's own credentials for the program in the container", async () => {
  const { seen, run } = await serving((socket) => socket.end(Buffer.concat([ending(success), closing])));
  expect(await run()).toEqual({ type: "exited", code: 0, stdout: "", stderr: "" });
  const [{ url, headers } = { url: "", headers: {} }] = seen;
  expect(url).toBe(
    "/api/v1/namespaces/n/pods/p/exec?container=agent&stdout=true&stderr=true&command=cat&command=%2Fproc%2Fa+b",
  );
  expect(headers.authorization).toBe("Bearer secret-of-the-user");
  expect(headers["sec-websocket-protocol"]).toBe("v5.channel.k8s.io, v4.channel.k8s.io");
});

const whole = Buffer.concat([
  message(stdout, "a"),
  message(stderr, "warned"),
  frame(on(stdout, "b"), { final: false }),
  frame(Buffer.from("still there?"), { opcode: 9 }),
  frame(Buffer.from("c"), { opcode: 0 }),
  message(stdout, "d".repeat(300)),
  // Output may arrive after the end: the channels are copied side by side.
  ending({
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: "3" }] },
  }),
  message(stdout, "e".repeat(70_000)),
  closing,
]);
const expected = { type: "exited", code: 3, stdout: `abc${"d".repeat(300)}${"e".repeat(70_000)}`, stderr: "warned" };

test("reads frames of every length, parts of messages, and output after the end", async () => {
  expect(await answerTo(whole)).toEqual(expected);
});

test("reads frames wherever the network cuts them", async () => {
  const { run } = await serving((socket) => {
    // One byte in each packet where the lengths are, and 999 in the long output.
    const rest = Buffer.from(whole);
    const next = (at: number): void => {
      if (at >= rest.length) return void socket.end();
      const end = at + (at < 700 ? 1 : 999);
      socket.write(rest.subarray(at, end), () => setImmediate(next, end));
    };
    next(0);
  });
  expect(await run()).toEqual(expected);
});

test("answers a ping with its own text, masked", async () => {
  const { run } = await serving((socket) => {
    socket.write(frame(Buffer.from("now"), { opcode: 9 }));
    socket.once("data", (pong: Buffer) => {
      const mask = pong.subarray(2, 6);
      const text = pong.subarray(6).map((byte, at) => byte ^ mask[at % 4]!);
      const isPong = pong[0] === 0x8a && pong[1] === 0x83;
      socket.end(
        Buffer.concat([message(stdout, `${isPong} ${Buffer.from(text).toString()}`), ending(success), closing]),
      );
    });
  });
  expect(await run()).toMatchObject({ stdout: "true now" });
});

test("a program that cannot start is told in the kubelet's words", async () => {
  const message = 'exec: "attune": executable file not found in $PATH';
  expect(await answerTo(Buffer.concat([ending({ status: "Failure", reason: "InternalError", message })]))).toEqual({
    type: "failed",
    message,
  });
});

test.each([
  ["a connection that ends before the program", message(stdout, "half"), "the connection ended before the program did"],
  ["a masked frame", Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1]), "the server masked a frame"],
  ["a part of no message", frame(Buffer.from("x"), { opcode: 0 }), "a part of no message arrived"],
  [
    "a length that no memory holds",
    Buffer.from([0x82, 127, 0, 0, 0xff, 0, 0, 0, 0, 0]),
    "a message has more than 16777216 bytes",
  ],
])("%s is an error that names the program and the pod", async (_, bytes, why) => {
  await expect(answerTo(bytes)).rejects.toMatchObject({
    name: "ApiError",
    code: 0,
    message: `run cat /proc/a b in pod n/p: ${why}`,
  });
});

test("output without end is cut off", async () => {
  const { run } = await serving((socket) =>
    socket.write(Buffer.concat(Array(20).fill(message(stdout, "x".repeat(100))))),
  );
  await expect(run({ mostBytes: 1000 })).rejects.toThrow("the program writes more than 1000 bytes");
});

test("who answers without the proof is no WebSocket", async () => {
  const { run } = await serving((socket) => socket.end(ending(success)), "forged");
  await expect(run()).rejects.toThrow("what answered speaks no WebSocket");
});

test("what the API server refuses is told in its words", async () => {
  const { run } = await serving(undefined);
  await expect(run()).rejects.toMatchObject({ code: 403, reason: "Forbidden" });
});

test("a program that hangs is given up, and so is one that nobody waits for", async () => {
  const clock = new VirtualClock();
  const sockets: Duplex[] = [];
  const { run } = await serving((socket) => void sockets.push(socket.resume()));
  const hanging = run({ clock, timeoutMs: 5000 });
  await expect.poll(() => sockets.length).toBe(1);
  const told = expect(hanging).rejects.toThrow("run cat /proc/a b in pod n/p: it did not end within 5000 ms");
  await clock.advance(5000);
  await told;
  await expect.poll(() => sockets[0]?.readableEnded).toBe(true);
  const gone = new AbortController();
  const abandoned = run({ signal: gone.signal });
  await expect.poll(() => sockets.length).toBe(2);
  gone.abort();
  await expect(abandoned).rejects.toThrow(/abort/);
  await expect.poll(() => sockets[1]?.readableEnded).toBe(true);
});
