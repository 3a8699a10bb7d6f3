import { once } from "node:events";
import { connect } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Authority, openAuthority } from "../auth/authority.ts";
import { listen } from "./listener.ts";

let dir = "";
let authority: Authority;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-listener-"));
  authority = await openAuthority(dir);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("closes although a client has not begun its TLS handshake", async () => {
  const { serverCertPem, serverKeyPem, caPem } = authority;
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    certPem: serverCertPem,
    keyPem: serverKeyPem,
    caPem,
    handle: () => undefined,
  });
  const socket = connect(listener.port, "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.on("error", () => {});
  await listener.close();
  await closed;
  expect(socket.destroyed).toBe(true);
});
