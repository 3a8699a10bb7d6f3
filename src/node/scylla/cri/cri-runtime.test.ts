import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { createServer as createSocket, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CriRuntime } from "./cri-runtime.ts";
import { textField } from "./protobuf.ts";

let dir: string;
let server: Http2Server | Server | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-cri-"));
});
afterEach(async () => {
  server?.close();
  server = undefined;
  await rm(dir, { recursive: true });
});

const path = (): string => join(dir, "socket");
const runtime = (endpoints?: string[]): CriRuntime =>
  new CriRuntime({ endpoints: endpoints ?? ["unix:///run/x.sock"], locate: async () => path(), timeoutMs: 500 });

async function listen(one: Http2Server | Server): Promise<void> {
  server = one;
  await new Promise<void>((resolve) => one.listen(path(), resolve));
}

/** A runtime that answers every call so. */
function serve(answer: (stream: ServerHttp2Stream, method: string) => void): Promise<void> {
  return listen(
    createServer().on("stream", (stream, headers) => {
      stream.on("error", () => {});
      stream.resume();
      answer(stream, String(headers[":path"]));
    }),
  );
}

function message(body: Uint8Array, trailers: Record<string, string> = { "grpc-status": "0" }) {
  return (stream: ServerHttp2Stream): void => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(body.length, 1);
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    stream.end(Buffer.concat([prefix, body]));
  };
}

const nested = (number: number, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.from([number * 8 + 2, bytes.length]), bytes]);
const described = (id: string, info: string): Uint8Array =>
  Buffer.concat([nested(1, textField(1, id)), nested(2, Buffer.concat([textField(1, "info"), textField(2, info)]))]);

describe("a container runtime", () => {
  test("that is not there is named", async () => {
    const none = new CriRuntime({ locate: async () => undefined });
    expect(await none.inspect("c")).toMatchObject({
      type: "failed",
      message: expect.stringMatching(
        /^no socket of a container runtime: .*containerd.sock.*crio.sock.*cri-dockerd.sock/,
      ) as string,
    });
    expect(await runtime().inspect("c")).toMatchObject({
      type: "failed",
      message: expect.stringContaining("ENOENT") as string,
    });
  });

  test("that hangs is given up", async () => {
    await serve(() => {});
    expect(await runtime().inspect("c")).toEqual({ type: "failed", message: "/run/x.sock: no answer within 500 ms" });
  });

  test("that accepts connections and says nothing is given up", async () => {
    await listen(createSocket((socket) => void socket.on("error", () => {})));
    expect(await runtime().inspect("c")).toMatchObject({ type: "failed" });
  });

  test.each([
    ["HTTP/1.1", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["noise", Buffer.from(Array.from({ length: 999 }, (_, index) => (index * 7919) % 256))],
    ["nothing", ""],
  ])("that speaks %s has failed", async (_, bytes) => {
    await listen(createSocket((socket) => void socket.on("error", () => {}).end(bytes)));
    expect(await runtime().inspect("c")).toMatchObject({ type: "failed" });
  });

  test.each<[string, (stream: ServerHttp2Stream) => void, string]>([
    ["has no status", (stream) => (stream.respond({ ":status": 200 }), stream.end()), "without a status of gRPC"],
    ["is an error of HTTP", (stream) => (stream.respond({ ":status": 503 }), stream.end()), "HTTP status 503"],
    ["is reset", (stream) => stream.close(2), "/run/x.sock: "],
    ["is no message", message(Uint8Array.from([10, 255, 1])), "the message ends within a field"],
    ["is an endless number", message(new Uint8Array(20).fill(0xff)), "a number has more than ten bytes"],
    ["is of another container", message(described("d", "{}")), "it describes container d instead"],
    ["is empty", message(new Uint8Array(0)), "it describes no container"],
    ["has details that are not JSON", message(described("c", "{")), "not JSON"],
    [
      "is a refusal",
      message(new Uint8Array(0), { "grpc-status": "7", "grpc-message": "not%20you %zz" }),
      "code 7: not%20you %zz",
    ],
    [
      "has two lengths",
      (stream) => (stream.respond({ ":status": 200, "grpc-status": "0" }), stream.end(Buffer.alloc(9, 1))),
      "not one message",
    ],
  ])("whose answer %s has failed", async (_, answer, why) => {
    await serve(answer);
    expect(await runtime().inspect("c")).toMatchObject({
      type: "failed",
      message: expect.stringContaining(why) as string,
    });
  });

  test("whose answer does not end is given up before it fills the memory", async () => {
    await serve((stream) => {
      stream.respond({ ":status": 200 });
      const more = (): void => {
        while (!stream.destroyed && stream.write(Buffer.alloc(1024 * 1024)));
        stream.once("drain", more);
      };
      more();
    });
    const found = await new CriRuntime({ endpoints: ["x"], locate: async () => path(), timeoutMs: 60_000 }).inspect(
      "c",
    );
    expect(found).toEqual({ type: "failed", message: "x: its answer has more than 16 MiB" });
  });

  test.each([
    "null",
    "[]",
    '"x"',
    '{"runtimeSpec":{"linux":{"resources":{"cpu":{"cpus":7}}}}}',
    '{"__proto__":{"x":1}}',
  ])("whose details are %s tells no CPUs", async (info) => {
    await serve(message(described("c", info)));
    const found = await runtime().inspect("c");
    expect(found.type === "found" && found.container.cpus).toBeUndefined();
  });

  test("of the version before is asked as that one, and one without the container is followed by the next", async () => {
    const asked: string[] = [];
    await serve((stream, method) => {
      asked.push(method);
      if (method.includes("v1alpha2"))
        message(described("c", '{"runtimeSpec":{"linux":{"resources":{"cpu":{"cpus":"1"}}}}}'))(stream);
      else stream.respond({ ":status": 200, "grpc-status": "12" }, { endStream: true });
    });
    expect(await runtime().inspect("c")).toMatchObject({ type: "found", container: { cpus: "1" } });
    expect(asked.map((method) => method.split(".")[1])).toEqual(["v1", "v1alpha2"]);
  });

  test("is not waited for once the agent stops", async () => {
    await serve(() => {});
    const stop = new AbortController();
    const found = new CriRuntime({ locate: async () => path(), timeoutMs: 100_000 }).inspect("c", stop.signal);
    stop.abort();
    expect(await found).toMatchObject({ type: "failed", message: expect.stringContaining("stopped") as string });
  });
});
