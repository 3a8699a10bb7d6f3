import { describe, expect, it } from "vitest";
import type { Client } from "../../../cluster/kube/client.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { NamespaceReader } from "./namespace-reader.ts";

/** An API server that answers no read of a namespace until it is told to. */
function slowServer() {
  const clock = new VirtualClock();
  const waiting: ((found: object) => void)[] = [];
  const get = (_kind: unknown, name: string, { signal }: { signal: AbortSignal }): Promise<object> =>
    new Promise((resolve, reject) => {
      waiting.push(() => resolve({ metadata: { name } }));
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  const reader = new NamespaceReader({ client: { get } as unknown as Client, clock, cached: () => undefined });
  return { clock, waiting, reader };
}

describe("a namespace that is not cached yet", () => {
  it("is read once for ten thousand pods", async () => {
    const { reader, waiting } = slowServer();
    const reads = Array.from({ length: 10_000 }, () => reader.find("new"));
    expect(waiting).toHaveLength(1);
    waiting[0]?.({});
    expect(new Set((await Promise.all(reads)).map((found) => found?.metadata.name))).toEqual(new Set(["new"]));
  });

  it("is given up before API servers do, and can be read again", async () => {
    const { reader, clock, waiting } = slowServer();
    const read = reader.find("new").catch((error: Error) => error.message);
    await clock.advance(1200);
    expect(await read).toBe("the API server did not answer within 1200 ms");
    void reader.find("new").catch(() => undefined);
    expect(waiting).toHaveLength(2);
  });

  it("is not read while too many others are", async () => {
    const { reader, waiting } = slowServer();
    for (let n = 0; n < 1000; n++) void reader.find(`n${n}`).catch(() => undefined);
    expect(waiting).toHaveLength(20);
    await expect(reader.find("one-more")).rejects.toThrow("20 namespaces are being read already");
  });
});
