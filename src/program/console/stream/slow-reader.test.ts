import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { readFrames } from "../../../../console/src/stream/read-frames.ts";
import { Store } from "../../../../console/src/stream/store.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import type { UserHub } from "../user-hub.ts";
import type { User } from "../users.ts";
import { Outbox } from "./outbox.ts";
import { Streams } from "./streams.ts";
import { TopicTable } from "./topic-table.ts";

const rows = 500;
const rounds = 400;
const name = "fleet";

it.each(["identity", "gzip"])(
  "a reader that does not read costs no more than the rows, and gets the last ones when it reads again (%s)",
  { timeout: 120_000 },
  async (encoding) => {
    const clock = new VirtualClock();
    const outboxes = new Set<{ outbox: Outbox; wake: () => void }>();
    const table = new TopicTable(clock, (change) => {
      hub.seq++;
      for (const { outbox, wake } of outboxes) {
        outbox.add({ ...change, topic: name });
        wake();
      }
    });
    const hub = {
      seq: 0,
      epoch: "e",
      user: "u",
      cluster: "c",
      clusters: ["c"],
      reader(wake: () => void) {
        const reader = { outbox: new Outbox(() => table), wake };
        outboxes.add(reader);
        return reader;
      },
      subscribe(reader: { outbox: Outbox; wake: () => void }) {
        reader.outbox.addWhole(name);
        reader.wake();
        return true;
      },
      unsubscribe() {},
    };
    const streams = new Streams(clock, "1");
    const server = createServer((request, response) => {
      const query = new URLSearchParams({ topics: name });
      streams.serve({ request, response, user: { id: "u" } as User, hub: hub as unknown as UserHub, query });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void (server.closeAllConnections(), server.close()));
    const { port } = server.address() as AddressInfo;
    const headers = { "Accept-Encoding": encoding };
    const asked = get({ host: "127.0.0.1", port, headers });
    const [response] = (await once(asked, "response")) as [IncomingMessage];

    // Nothing is read while every row changes again and again. What is random does not get smaller.
    let written = 0;
    let last = "";
    for (let round = 0; round < rounds; round++) {
      last = randomBytes(375).toString("base64");
      for (let row = 0; row < rows; row++) table.set(`row-${row}`, { text: `${row} ${last}` });
      written += rows * last.length;
      if (round === 0) table.settle();
      await clock.advance(100);
      await setImmediate();
    }
    for (const { outbox } of outboxes) expect(outbox.size).toBeLessThanOrEqual(rows);

    // Now it reads: what was kept for it is a small part of what there was.
    let received = 0;
    response.on("data", (chunk: Buffer) => (received += chunk.length));
    const body = encoding === "gzip" ? response.pipe(createGunzip()) : response;
    const store = new Store();
    for await (const frame of readFrames(ReadableStream.from(body) as ReadableStream<Uint8Array>)) {
      store.accept(frame);
      const shown = store.topic(name).rows;
      if (shown.size === rows && [...shown.values()].every((row) => (row as { text: string }).text.endsWith(last)))
        break;
    }
    expect(received).toBeLessThan(written / 10);
  },
);
