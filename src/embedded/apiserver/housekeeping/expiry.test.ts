import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { RecordedWatch } from "../testing/recorded-watch.ts";
import { SmallServer } from "../testing/small-server.ts";
import { Deadlines } from "./deadlines.ts";
import { expireEvents } from "./event-expiry.ts";
import { expireJobs } from "./job-expiry.ts";

const minute = 60_000;
let backend: CopyingBackend;
let server: SmallServer;
let stop: () => void;

async function begin(start: typeof expireEvents): Promise<void> {
  backend = new CopyingBackend();
  server = new SmallServer({ backend });
  await server.createNamespaces("a");
  stop = start(server.services, noLog);
}
afterEach(() => stop?.());

const event = (name: string) =>
  server.create("events", {
    metadata: { name, namespace: "a" },
    involvedObject: { kind: "Pod", name: "p", namespace: "a" },
  });
const touch = (name: string) => server.patch("events", { namespace: "a", name }, { message: "again" });
const names = (kind: string) => server.list(kind).names;

async function pass(ms: number): Promise<void> {
  await server.clock.advance(ms);
  await server.settled();
}

describe("an event", () => {
  beforeEach(() => begin(expireEvents));

  it("is removed an hour after its last write", async () => {
    await event("once");
    await pass(30 * minute);
    await event("later");
    await touch("once");
    await pass(59 * minute);
    expect(names("events")).toEqual(["a/later", "a/once"]);
    await pass(minute);
    expect(names("events")).toEqual([]);
  });

  it("is removed despite finalizers, and watchers see it", async () => {
    await event("held");
    await server.patch("events", { namespace: "a", name: "held" }, { metadata: { finalizers: ["x.io/hold"] } });
    await pass(59 * minute);
    const watch = RecordedWatch.start(server, "events");
    await pass(minute);
    expect(watch.take()).toEqual(["ADDED a/held@3", "DELETED a/held@4"]);
    watch.hangUp();
  });

  it("keeps its deadline over a restart", async () => {
    await event("old");
    await pass(30 * minute);
    await event("young");
    stop();
    const again = new SmallServer({ backend: backend.reopened() });
    const stopAgain = expireEvents(again.services, noLog);
    await again.clock.advance(60 * minute);
    await again.settled();
    expect(again.list("events").names).toEqual(["a/young"]);
    await again.clock.advance(30 * minute);
    await again.settled();
    expect(again.list("events").names).toEqual([]);
    stopAgain();
  });

  it("needs one timer for any number of events", async () => {
    const before = server.clock.pending;
    await Promise.all(Array.from({ length: 1000 }, (_, i) => event(`e${i}`)));
    expect(server.clock.pending - before).toBe(1);
    await pass(60 * minute);
    expect(names("events")).toEqual([]);
    expect(server.clock.pending).toBe(before);
  });

  it("that is deleted earlier has no deadline", async () => {
    await event("gone");
    await server.delete("events", { namespace: "a", name: "gone" });
    expect(server.clock.pending).toBe(0);
  });
});

describe("a job", () => {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const job = (name: string, spec: object) =>
    server.create("jobs", { metadata: { name, namespace: "a" }, spec: { template, ...spec } });
  const finish = (name: string, type: string) => {
    const time = new Date(server.clock.now()).toISOString().replace(/\.\d+/, "");
    const times = { lastTransitionTime: time, lastProbeTime: time };
    const conditions = [
      { type: type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget", status: "True", ...times },
      { type, status: "True", ...times },
    ];
    const status = { conditions, startTime: time, ...(type === "Complete" ? { completionTime: time } : {}) };
    return server.patch("jobs", { namespace: "a", name, subresource: "status" }, { status });
  };
  beforeEach(() => begin(expireJobs));

  it.each(["Complete", "Failed"])(
    "with ttlSecondsAfterFinished is deleted when it is %s and the time is up",
    async (type) => {
      await job("j", { ttlSecondsAfterFinished: 60 });
      await pass(10 * minute);
      expect(names("jobs")).toEqual(["a/j"]);
      await finish("j", type);
      await pass(59_000);
      expect(server.get("jobs", { namespace: "a", name: "j" }).metadata.deletionTimestamp).toBeUndefined();
      await pass(1000);
      expect(server.get("jobs", { namespace: "a", name: "j" }).metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        finalizers: ["foregroundDeletion"],
      });
      expect(server.clock.pending).toBe(0);
    },
  );

  it("without ttlSecondsAfterFinished stays", async () => {
    await job("j", {});
    await finish("j", "Complete");
    await pass(1000 * minute);
    expect(server.get("jobs", { namespace: "a", name: "j" }).metadata.deletionTimestamp).toBeUndefined();
  });

  it("can get a longer ttlSecondsAfterFinished", async () => {
    await job("j", { ttlSecondsAfterFinished: 60 });
    await finish("j", "Complete");
    await server.patch("jobs", { namespace: "a", name: "j" }, { spec: { ttlSecondsAfterFinished: 600 } });
    await pass(5 * minute);
    expect(server.get("jobs", { namespace: "a", name: "j" }).metadata.deletionTimestamp).toBeUndefined();
    await pass(5 * minute);
    expect(server.get("jobs", { namespace: "a", name: "j" }).metadata.deletionTimestamp).toBeDefined();
  });

  it("that finished before the start is deleted at its time", async () => {
    await job("j", { ttlSecondsAfterFinished: 60 });
    await finish("j", "Complete");
    stop();
    await pass(2 * minute);
    stop = expireJobs(server.services, noLog);
    await pass(0);
    expect(server.get("jobs", { namespace: "a", name: "j" }).metadata.deletionTimestamp).toBeDefined();
  });
});

it("deadlines expire in order, the last one set for each key", async () => {
  const clock = new VirtualClock(0);
  const seen: string[] = [];
  const deadlines = new Deadlines(clock, (key) => seen.push(`${key} at ${clock.now()}`));
  deadlines.set("b", 20);
  deadlines.set("a", 10);
  deadlines.set("b", 30);
  deadlines.set("c", 5);
  deadlines.delete("c");
  await clock.advance(100);
  expect(seen).toEqual(["a at 10", "b at 30"]);
});
