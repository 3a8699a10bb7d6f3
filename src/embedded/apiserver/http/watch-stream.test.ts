import { beforeEach, describe, expect, it, vi } from "vitest";
import { watch } from "../request/watch.ts";
import { FakeResponse } from "../testing/fake-response.ts";
import { SmallServer } from "../testing/small-server.ts";
import type { Representation } from "./negotiate.ts";
import { WatchBudget } from "./watch-budget.ts";
import { EventFrames, WatchFrames } from "./watch-frames.ts";
import { WatchStream } from "./watch-stream.ts";

let server: SmallServer;
let shared: EventFrames;
let budget: WatchBudget;

beforeEach(async () => {
  server = new SmallServer();
  shared = new EventFrames();
  budget = new WatchBudget();
  await server.createNamespaces("a");
});

interface Watching {
  readonly query?: Record<string, string>;
  readonly as?: Representation["as"];
  readonly response?: FakeResponse;
}

function watching({ query = {}, as = "object", response = new FakeResponse() }: Watching = {}): FakeResponse {
  const context = server.context("configmaps", { query });
  const frames = new WatchFrames(context, { format: "json", as, version: "v1" }, shared);
  watch(context, new WatchStream(response.asResponse, frames, budget));
  return response;
}
const put = (name: string, size = 1) =>
  server.create("configmaps", { metadata: { name, namespace: "a" }, data: { text: "x".repeat(size) } });
const shown = ({ lines }: FakeResponse): string[] =>
  lines.map(({ type, object }) => `${type} ${(object.metadata as { name?: string }).name ?? ""}`.trim());

describe("a watch on the wire", () => {
  it("sends headers at once, even without events", () => {
    const { code, headers, text } = watching();
    expect([code, headers.get("content-type"), text]).toEqual([200, "application/json", ""]);
  });

  it("shows the whole object in each event", async () => {
    const response = watching();
    const object = await put("one");
    expect(response.lines).toEqual([{ type: "ADDED", object }]);
  });

  it("shares the bytes of an event between watches of the same turn", async () => {
    const responses = Array.from({ length: 3 }, () => watching());
    await put("one");
    const [first, ...others] = responses.map(({ written }) => written[0]);
    for (const bytes of others) expect(bytes).toBe(first);
    await server.settled();
    const late = watching();
    expect(late.written[0]).not.toBe(first);
    expect(late.text).toBe(String(first));
  });

  it("sends the events of one commit in one write", async () => {
    const response = watching();
    await Promise.all([put("one"), put("two"), put("three")]);
    expect(response.written).toHaveLength(1);
    expect(shown(response)).toEqual(["ADDED one", "ADDED two", "ADDED three"]);
  });

  it("sends an ERROR event if it cannot begin, and ends", async () => {
    server = new SmallServer({ history: { changes: 1 } });
    await server.createNamespaces("a", "b", "c");
    const response = watching({ query: { resourceVersion: "1" } });
    expect(response.lines).toMatchObject([{ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } }]);
    expect([response.code, response.ended]).toEqual([200, true]);
  });
});

describe("bookmarks", () => {
  const query = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" };
  const metadata = { resourceVersion: "1", annotations: { "k8s.io/initial-events-end": "true" } };

  it("are bare objects of the kind", () => {
    const object = { kind: "ConfigMap", apiVersion: "v1", metadata };
    expect(watching({ query }).lines).toEqual([{ type: "BOOKMARK", object }]);
  });

  it("are bare metadata where metadata was asked for", () => {
    const [frame] = watching({ query, as: "PartialObjectMetadata" }).lines;
    expect(frame).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata },
    });
  });

  it("are tables where tables were asked for", () => {
    const [frame] = watching({ query, as: "Table" }).lines;
    expect(frame).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "Table", rows: [{ cells: ["", 0, "<unknown>"], object: { metadata } }] },
    });
  });

  it("have no annotation when they are periodic", async () => {
    const response = watching({ query: { allowWatchBookmarks: "true" } });
    await server.clock.advance(30_000);
    expect(response.lines).toMatchObject([{ type: "BOOKMARK", object: { metadata: { resourceVersion: "1" } } }]);
    expect(response.text).not.toContain("annotations");
  });
});

describe("other representations", () => {
  it("are tables with columns in the first event only", async () => {
    const response = watching({ as: "Table" });
    await put("one");
    await put("two");
    expect(response.lines.map(({ object }) => object)).toMatchObject([
      { kind: "Table", columnDefinitions: [{ name: "Name" }, { name: "Data" }, { name: "Age" }] },
      { kind: "Table", columnDefinitions: null, rows: [{ cells: ["two", 1, "0s"] }] },
    ]);
  });

  it("are metadata alone", async () => {
    const response = watching({ as: "PartialObjectMetadata" });
    await put("one");
    expect(response.lines).toMatchObject([
      { type: "ADDED", object: { kind: "PartialObjectMetadata", metadata: { name: "one", namespace: "a" } } },
    ]);
    expect(response.text).not.toContain('"data"');
  });
});

describe("a client that is slow", () => {
  const slow = (): FakeResponse => Object.assign(new FakeResponse(), { takes: false });

  it("gets its initial state at its own pace, however large", async () => {
    for (let i = 0; i < 50; i++) await put(`big-${i}`, 1_000_000);
    const response = watching({ response: slow() });
    expect(response.written).toHaveLength(1);
    await put("small");
    expect(response.destroyed).toBe(false);
    response.drain();
    expect(shown(response)).toHaveLength(51);
    expect(shown(response).at(-1)).toBe("ADDED small");
  });

  it("gets nothing more until it has drained, then everything in order", async () => {
    const response = watching({ response: slow() });
    for (const name of ["one", "two", "three"]) await put(name);
    expect(shown(response)).toEqual(["ADDED one"]);
    response.drain();
    expect(shown(response)).toEqual(["ADDED one", "ADDED two", "ADDED three"]);
  });

  it("is dropped when its queue is too large, and no other client is", async () => {
    const [lazy, keen] = [watching({ response: slow() }), watching()];
    for (let i = 0; i < 40; i++) await put(`big-${i}`, 1_000_000);
    expect(lazy.destroyed).toBe(true);
    expect(lazy.text.length).toBeLessThanOrEqual(64 * 1024);
    expect(shown(keen)).toHaveLength(40);
    expect(keen.destroyed).toBe(false);
  });

  it("is handed a large object in parts, of which it holds one at a time", async () => {
    const response = watching({ response: slow() });
    const object = await put("big", 1_000_000);
    expect(response.text.length).toBeLessThanOrEqual(64 * 1024);
    response.drain();
    expect(response.lines).toEqual([{ type: "ADDED", object }]);
    expect(Math.max(...response.written.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  });

  it("is not dropped while all clients together wait for the same objects", async () => {
    budget = new WatchBudget(3_000_000);
    const responses = Array.from({ length: 50 }, () => watching({ response: slow() }));
    for (let i = 0; i < 3; i++) await put(`big-${i}`, 900_000);
    expect(responses.filter(({ destroyed }) => destroyed)).toEqual([]);
    expect(budget.bytes).toBeLessThan(3_000_000);
    for (const response of responses) response.drain();
    for (const response of responses) expect(shown(response)).toHaveLength(3);
    expect(budget.bytes).toBe(0);
  });

  it("and waits for most is dropped when all together wait for too much, until they do not", async () => {
    budget = new WatchBudget(3_000_000);
    const [fat, thin] = [watching({ response: slow() }), watching({ response: slow() })];
    const other = watching({ response: slow(), query: { fieldSelector: "metadata.name=few" } });
    await put("few", 1);
    await put("few-2", 1);
    for (let i = 0; i < 2; i++) await put(`big-${i}`, 900_000);
    thin.drain();
    expect([fat, thin, other].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
    for (let i = 2; i < 5; i++) await put(`big-${i}`, 900_000);
    expect([fat, thin, other].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    expect(shown(thin)).toHaveLength(7);
    expect(budget.bytes).toBe(0);
  });

  it("still gets its queue when the timeout ends, and nothing after that", async () => {
    const response = watching({ response: slow(), query: { timeoutSeconds: "10" } });
    await put("one");
    await put("two");
    await server.clock.advance(10_000);
    await put("three");
    expect(response.ended).toBe(false);
    response.drain();
    expect(shown(response)).toEqual(["ADDED one", "ADDED two"]);
    expect(response.ended).toBe(true);
  });

  it("that closes the connection ends its watch", async () => {
    const response = watching({ response: slow() });
    await put("one");
    await put("two");
    response.emit("close");
    response.drain();
    expect(shown(response)).toEqual(["ADDED one"]);
    expect(server.clock.pending).toBe(0);
  });
});

it("a watch that cannot show a change ends with an error, without effect on others and on the write", async () => {
  const [broken, sound] = [watching({ as: "Table" }), watching()];
  vi.spyOn(server.services.views, "object").mockImplementationOnce(() => {
    throw new Error("cannot be shown");
  });
  await put("one");
  expect(broken.lines).toMatchObject([{ type: "ERROR", object: { code: 500 } }]);
  expect(broken.ended).toBe(true);
  expect(shown(sound)).toEqual(["ADDED one"]);
  expect(server.store.failure).toBeUndefined();
});
