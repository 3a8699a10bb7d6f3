import { beforeEach, describe, expect, it } from "vitest";
import { RecordedWatch } from "../testing/recorded-watch.ts";
import { SmallServer, type Target } from "../testing/small-server.ts";

let server: SmallServer;

/** Revisions: namespaces a and b are 1 and 2, then a/one 3, b/two 4, a/one again 5. */
beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("a", "b");
  await put("a", "one", "red");
  await put("b", "two", "blue");
  await server.patch("configmaps", { namespace: "a", name: "one" }, { data: { k: "v" } });
});

async function put(namespace: string, name: string, color: string): Promise<void> {
  await server.create("configmaps", { metadata: { name, namespace, labels: { color } } });
}
const paint = (name: string, color: string | null) =>
  server.patch("configmaps", { namespace: "a", name }, { metadata: { labels: { color } } });
const watching = (query: Record<string, string> = {}, target: Target = {}) =>
  RecordedWatch.start(server, "configmaps", { ...target, query });

describe("where a watch starts", () => {
  const state = ["ADDED a/one@5", "ADDED b/two@4"];
  const initial = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" };
  const starts: [string, Record<string, string>, string[]][] = [
    ["at the state of now without a version", {}, state],
    ["at the state of now with version 0", { resourceVersion: "0" }, state],
    ["after the version given", { resourceVersion: "3" }, ["ADDED b/two@4", "MODIFIED a/one@5"]],
    ["with nothing at the newest version", { resourceVersion: "5" }, []],
    ["with nothing at a version to come", { resourceVersion: "7" }, []],
    ["at the state of now when it asks for it, whatever the version", { ...initial, resourceVersion: "4" }, state],
    [
      "with a bookmark after the state that was asked for",
      { ...initial, allowWatchBookmarks: "true" },
      [...state, "BOOKMARK 5 initial events end"],
    ],
    [
      "without the state when it asks for none of it",
      { sendInitialEvents: "false", resourceVersionMatch: "NotOlderThan" },
      [],
    ],
  ];
  it.each(starts)("%s", (_, query, frames) => {
    const watch = watching(query);
    expect(watch.take()).toEqual(frames);
    expect(watch.ended).toBe(false);
  });

  it("is refused in the stream if later changes are no longer kept", async () => {
    server = new SmallServer({ history: { changes: 2 } });
    await server.createNamespaces("a");
    for (const name of ["one", "two", "three"]) await put("a", name, "red");
    const watch = watching({ resourceVersion: "1" });
    expect(watch.take()).toEqual(["ERROR 410 Expired: too old resource version: 1 (4)"]);
    expect(watch.ended).toBe(true);
    expect(server.clock.pending).toBe(0);
    expect(watching({ resourceVersion: "2" }).take()).toEqual(["ADDED a/two@3", "ADDED a/three@4"]);
  });

  it("is refused in the stream for the state of a future version", () => {
    const watch = watching({ ...initial, resourceVersion: "9" });
    expect(watch.take()).toEqual(["ERROR 504 Timeout: Timeout: Too large resource version: 9, current: 5"]);
    expect(watch.ended).toBe(true);
  });

  it("skips the changes up to a future version", async () => {
    const watch = watching({ resourceVersion: "7" });
    for (const color of ["1", "2", "3"]) await paint("one", color);
    expect(watch.take()).toEqual(["MODIFIED a/one@8"]);
  });

  it.each(["x", "-1", "1.5", "999999999999999999999"])("cannot be at %j", (resourceVersion) => {
    expect(() => watching({ resourceVersion })).toThrow(/strconv.ParseUint/);
  });
});

describe("a watch", () => {
  it("gets creation, change and deletion, each with its version", async () => {
    const watch = watching({ resourceVersion: "5" });
    await put("a", "three", "red");
    await paint("three", "blue");
    await server.delete("configmaps", { namespace: "a", name: "three" });
    expect(watch.take()).toEqual(["ADDED a/three@6", "MODIFIED a/three@7", "DELETED a/three@8"]);
  });

  it("neither loses nor repeats what is committed while it starts", async () => {
    const writes = [put("a", "early", "red"), paint("one", "x")];
    const before = watching();
    const resumed = watching({ resourceVersion: "4" });
    writes.push(put("a", "late", "red"));
    await Promise.all(writes);
    const live = ["ADDED a/early@6", "MODIFIED a/one@7", "ADDED a/late@8"];
    expect(before.take()).toEqual(["ADDED a/one@5", "ADDED b/two@4", ...live]);
    expect(resumed.take()).toEqual(["MODIFIED a/one@5", ...live]);
  });

  it("of a namespace gets events of no other", async () => {
    const watch = watching({}, { namespace: "a" });
    await put("b", "elsewhere", "red");
    await put("a", "here", "red");
    expect(watch.take()).toEqual(["ADDED a/one@5", "ADDED a/here@7"]);
  });

  it("of a namespace gets no events of one with a longer name", async () => {
    await server.createNamespaces("a-b");
    const watch = watching({}, { namespace: "a" });
    await put("a-b", "one", "red");
    expect(watch.take()).toEqual(["ADDED a/one@5"]);
  });

  it("of one name gets events of no other", async () => {
    const watch = watching({}, { namespace: "a", name: "one" });
    await put("a", "on", "red");
    await paint("one", "blue");
    expect(watch.take()).toEqual(["ADDED a/one@5", "MODIFIED a/one@7"]);
  });

  it("gets ADDED and DELETED when an object starts and stops to match", async () => {
    const watch = watching({ labelSelector: "color=red", resourceVersion: "5" });
    await paint("one", "blue");
    await paint("one", "green");
    await paint("one", "red");
    await server.patch("configmaps", { namespace: "a", name: "one" }, { data: { k: "w" } });
    await server.delete("configmaps", { namespace: "a", name: "one" });
    expect(watch.take()).toEqual(["DELETED a/one@6", "ADDED a/one@8", "MODIFIED a/one@9", "DELETED a/one@10"]);
  });

  it("resumes through the same selection", async () => {
    await paint("one", "blue");
    await paint("one", "red");
    const resumed = watching({ labelSelector: "color=red", resourceVersion: "3" });
    expect(resumed.take()).toEqual(["MODIFIED a/one@5", "DELETED a/one@6", "ADDED a/one@7"]);
  });

  it("by a field follows that field", async () => {
    await server.create("serviceaccounts", { metadata: { namespace: "a", name: "default" } });
    await server.create("pods", {
      metadata: { name: "p", namespace: "a" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const watch = RecordedWatch.start(server, "pods", { query: { fieldSelector: "status.phase=Running" } });
    const target = { namespace: "a", name: "p", subresource: "status" };
    await server.patch("pods", target, { status: { phase: "Running" } });
    await server.patch("pods", target, { status: { phase: "Failed" } });
    expect(watch.take()).toEqual(["ADDED a/p@8", "DELETED a/p@9"]);
  });
});

describe("a watch over time", () => {
  const halfMinute = 30_000;

  it("gets periodic bookmarks if it asked for them", async () => {
    const [asked, silent] = [watching({ allowWatchBookmarks: "true" }), watching()];
    asked.take();
    silent.take();
    await server.clock.advance(halfMinute - 1);
    expect(asked.take()).toEqual([]);
    await server.createNamespaces("elsewhere");
    await server.clock.advance(1);
    expect(asked.take()).toEqual(["BOOKMARK 6"]);
    await server.clock.advance(halfMinute);
    expect(asked.take()).toEqual(["BOOKMARK 6"]);
    expect(silent.take()).toEqual([]);
  });

  it("ends after timeoutSeconds", async () => {
    const watch = watching({ timeoutSeconds: "100", allowWatchBookmarks: "true" });
    await server.clock.advance(99_999);
    expect(watch.ended).toBe(false);
    await server.clock.advance(1);
    expect(watch.ended).toBe(true);
    expect(server.clock.pending).toBe(0);
  });

  it("ends after a random 30 to 60 minutes by default", async () => {
    const watches = Array.from({ length: 20 }, () => watching());
    await server.clock.advance(30 * 60_000 - 1);
    expect(watches.filter(({ ended }) => ended)).toHaveLength(0);
    await server.clock.advance(60_000 * 15);
    expect(watches.every(({ ended }) => ended)).toBe(false);
    await server.clock.advance(60_000 * 15 + 1);
    expect(watches.every(({ ended }) => ended)).toBe(true);
  });

  it("leaves nothing behind when its client closes the connection", async () => {
    const watch = watching({ allowWatchBookmarks: "true" });
    watch.take();
    watch.hangUp();
    expect(server.clock.pending).toBe(0);
    await put("a", "later", "red");
    expect(watch.take()).toEqual([]);
  });

  it("is not started for a client that is already gone", async () => {
    const sink = new RecordedWatch();
    sink.hangUp();
    sink.start(server, "configmaps");
    sink.take();
    expect(server.clock.pending).toBe(0);
    await put("a", "later", "red");
    expect(sink.take()).toEqual([]);
  });
});
