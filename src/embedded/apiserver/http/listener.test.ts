import { once } from "node:events";
import { connect } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Authority, openAuthority } from "../auth/authority.ts";
import { postOnOneConnection } from "../../../cluster/runtime/testing/one-connection.ts";
import { listen, type Listener, type ListenerOptions } from "./listener.ts";

let dir = "";
let authority: Authority;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-listener-"));
  authority = await openAuthority(dir);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function listening(handle: ListenerOptions["handle"]): Promise<Listener> {
  const { serverCertPem: certPem, serverKeyPem: keyPem, caPem } = authority;
  return listen({ host: "127.0.0.1", port: 0, certPem, keyPem, caPem, handle });
}

test("closes although a client has not begun its TLS handshake", async () => {
  const listener = await listening(() => undefined);
  const socket = connect(listener.port, "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.on("error", () => {});
  await listener.close();
  await closed;
  expect(socket.destroyed).toBe(true);
});

test("reads large bodies on one connection, whatever the response before them has still to send", async () => {
  const listener = await listening((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    // Later, as a response that waits for a commit.
    request.on("end", () => setImmediate(() => response.end(Buffer.concat(chunks))));
  });
  const { port } = listener;
  const body = JSON.stringify("x".repeat(300_000));
  const outcomes = await postOnOneConnection({ port, ca: authority.caPem, path: "/", body, times: 100 });
  await listener.close();
  expect(new Set(outcomes)).toEqual(new Set([200]));
});
