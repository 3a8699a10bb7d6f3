import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { defaultLives, nextCertificates } from "../../../cluster/certificate/serving-certificates.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { PayloadServer, type PayloadServerOptions } from "./payload-server.ts";

const certificates = nextCertificates({
  current: undefined,
  authority: "test",
  names: ["test"],
  publishedAt: undefined,
  now: Date.now(),
  lives: defaultLives,
});

/** Returns its port. */
async function serve(options: Pick<PayloadServerOptions, "answer" | "connectionMs">): Promise<number> {
  const stop = new AbortController();
  return new Promise((onListening, reject) => {
    const server = new PayloadServer({ ...options, address: "127.0.0.1:0", onListening, log: noLog });
    server.use({ cert: certificates["tls.crt"], key: certificates["tls.key"] });
    const done = server.run(stop.signal);
    done.catch(reject);
    onTestFinished(async () => {
      stop.abort();
      await done;
    });
  });
}

/** Asks, and does not read the answer. */
function ask(port: number): TLSSocket {
  const socket = connect({ host: "127.0.0.1", port, ca: certificates["ca.crt"], servername: "test" });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write("GET /config/worker HTTP/1.1\r\nhost: test\r\n\r\n");
  return socket;
}

test("keeps an answer once, however many clients do not read it", async () => {
  const body = Buffer.alloc(16 * 1024 * 1024, " ");
  const port = await serve({ answer: async () => ({ code: 200, body }) });
  const before = process.memoryUsage().arrayBuffers;
  for (let clients = 0; clients < 40; clients++) await once(ask(port), "readable");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * body.length);
});

test("closes a connection that takes too long", async () => {
  const port = await serve({ answer: () => new Promise(() => {}), connectionMs: 100 });
  await once(ask(port).resume(), "close");
});
