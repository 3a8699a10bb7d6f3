import { describe, expect, test } from "vitest";
import { ApiError } from "../../kube/api-error.ts";
import type { Client } from "../../kube/client.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { PlannedEvent } from "../../../language/object/plan.ts";
import { EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
import { noLog } from "../log/log.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";

const minute = 60_000;

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = new VirtualClock();
  const server = {
    events: new Map<string, KubeObject & Record<string, unknown>>(),
    requests: [] as string[],
    fail: undefined as unknown,
  };
  const request = (line: string): void => {
    server.requests.push(line);
    if (server.fail) throw server.fail;
  };
  const client = {
    async create(_, object) {
      request("create");
      if (server.events.has(object.metadata.name!))
        throw new ApiError({ code: 409, reason: "AlreadyExists", message: "" });
      server.events.set(object.metadata.name!, object);
      return object;
    },
    async patch(_, name, patch) {
      request("patch");
      const event = server.events.get(name);
      if (!event) throw new ApiError({ code: 404, reason: "NotFound", message: "" });
      Object.assign(event, (patch as { patch: object }).patch);
      return event;
    },
  } as Partial<Client> as Client;
  const recorder = new EventRecorder({ client, clock, component: "attune", random: () => 0, ...options });
  return { clock, server, recorder, stored: () => [...server.events.values()] };
}

const event = (message = "m", more: Partial<PlannedEvent> = {}): PlannedEvent => ({
  regarding: { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "u" } },
  type: "Normal",
  reason: "Tuned",
  message,
  ...more,
});
const unreachable = new ApiError({ code: 0, reason: "Unreachable", message: "refused" });

describe("event recorder", () => {
  test("writes an Event that kubectl describe finds", async () => {
    const { recorder, stored } = setUp({ host: "master-0" });
    recorder.record(event("profile applied"));
    await recorder.flush();
    expect(stored()).toEqual([
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "node-1.18867251edfa0000", namespace: "default" },
        involvedObject: { apiVersion: "v1", kind: "Node", name: "node-1", namespace: undefined, uid: "u" },
        type: "Normal",
        reason: "Tuned",
        message: "profile applied",
        count: 1,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        source: { component: "attune", host: "master-0" },
        reportingComponent: "attune",
        reportingInstance: "master-0",
      },
    ]);
  });

  test("an equal event within ten minutes is counted, a later one is a new Event", async () => {
    const { clock, recorder, stored } = setUp();
    for (const wait of [0, 10 * minute, 10 * minute, 10 * minute + 1]) {
      await clock.advance(wait);
      recorder.record(event());
      await recorder.flush();
    }
    expect(stored().map(({ count, lastTimestamp }) => [count, lastTimestamp])).toEqual([
      [3, "2026-01-01T00:20:00Z"],
      [1, "2026-01-01T00:30:00Z"],
    ]);
  });

  test("repetitions of a queued event take one request", async () => {
    const { recorder, server, stored } = setUp();
    for (let i = 0; i < 5; i++) recorder.record(event());
    await recorder.flush();
    expect(server.requests).toEqual(["create"]);
    expect(stored()[0]!["count"]).toBe(5);
  });

  test("more than ten messages of one reason are combined and counted", async () => {
    const { recorder, stored } = setUp();
    for (let i = 1; i <= 14; i++) recorder.record(event(`message ${i}`));
    recorder.record(event("another reason", { reason: "Other" }));
    await recorder.flush();
    expect(stored().map(({ message, count }) => [message, count])).toEqual([
      ...Array.from({ length: 10 }, (_, i) => [`message ${i + 1}`, 1]),
      ["(combined from similar events): message 14", 4],
      ["another reason", 1],
    ]);
  });

  test("an object gets 25 events of one reason at once and one more every five minutes; other objects and reasons are not affected", async () => {
    const { clock, recorder, server, stored } = setUp();
    for (let i = 0; i < 30; i++) {
      recorder.record(event("again"));
      await recorder.flush();
    }
    expect(server.requests).toHaveLength(25);
    recorder.record(event("m", { regarding: { apiVersion: "v1", kind: "Node", metadata: { name: "node-2" } } }));
    await recorder.flush();
    recorder.record(event("done", { reason: "Completed" }));
    await recorder.flush();
    expect(server.requests).toHaveLength(27);
    await clock.advance(5 * minute);
    recorder.record(event("again"));
    recorder.record(event("again"));
    await recorder.flush();
    expect(server.requests).toHaveLength(28);
    expect(stored()[0]!["count"]).toBe(32);
  });

  test("an Event that expired on the server is created again with its count", async () => {
    const { recorder, server, stored } = setUp();
    recorder.record(event());
    await recorder.flush();
    server.events.clear();
    recorder.record(event());
    await recorder.flush();
    expect(server.requests).toEqual(["create", "patch", "create"]);
    expect(stored()[0]!["count"]).toBe(2);
  });

  test.each([
    ["system:node", /^system-node\.[0-9a-f]+$/],
    ["A".repeat(300), /^a{236}\.[0-9a-f]{16}$/],
    ["...", /^object\.[0-9a-f]+$/],
  ])("an object named %s gives a valid name", async (name, expected) => {
    const { recorder, server } = setUp();
    recorder.record(event("m", { regarding: { apiVersion: "v1", kind: "Role", metadata: { name, namespace: "ns" } } }));
    await recorder.flush();
    expect([...server.events.keys()][0]).toMatch(expected);
  });

  test("an unreachable server is tried every ten seconds, and no caller notices", async () => {
    const { clock, recorder, server, stored } = setUp();
    server.fail = unreachable;
    recorder.record(event());
    await clock.advance(25_000);
    expect(server.requests).toHaveLength(3);
    server.fail = undefined;
    await clock.advance(10_000);
    expect(stored()).toHaveLength(1);
  });

  test.each([
    ["a refusal", new ApiError({ code: 403, reason: "Forbidden", message: "no" })],
    ["a mistake", new TypeError("x is not a function")],
  ])("%s drops the event and the next is tried", async (_, error) => {
    const { recorder, server, stored } = setUp();
    server.fail = error;
    recorder.record(event("first"));
    await recorder.flush();
    server.fail = undefined;
    recorder.record(event("second"));
    await recorder.flush();
    expect(stored().map(({ message }) => message)).toEqual(["second"]);
  });

  test("stop writes the queue once, does not wait for an unreachable server, and records no more", async () => {
    const { clock, recorder, server } = setUp();
    server.fail = unreachable;
    recorder.record(event("a"));
    recorder.record(event("b"));
    await clock.advance(1);
    await recorder.stop();
    expect(server.requests).toHaveLength(3);
    recorder.record(event("c"));
    await recorder.flush();
    expect(server.requests).toHaveLength(3);
  });

  test("as a part of a manager it ends after writing the queue", async () => {
    const { recorder, stored } = setUp();
    const stop = new AbortController();
    const ended = recorder.run(stop.signal);
    recorder.record(event());
    stop.abort();
    await ended;
    expect(stored()).toHaveLength(1);
  });

  test("memory is bounded", async () => {
    const { recorder, server } = setUp({ waiting: 5, remembered: 3 });
    for (let i = 0; i < 20; i++)
      recorder.record(event("m", { regarding: { apiVersion: "v1", kind: "Node", metadata: { name: `n${i}` } } }));
    await recorder.flush();
    expect(server.requests).toHaveLength(5);
    recorder.record(event("m", { regarding: { apiVersion: "v1", kind: "Node", metadata: { name: "n0" } } }));
    await recorder.flush();
    expect(server.requests.at(-1)).toBe("create");
  });

  test("an invalid event is logged, not thrown", () => {
    const lines: string[] = [];
    const log = { ...noLog, error: (_: unknown, message: string) => lines.push(message) };
    setUp({ log }).recorder.record({ reason: "NoObject", message: "m" } as PlannedEvent);
    expect(lines).toEqual(["record event"]);
  });

  test("a long message is truncated", async () => {
    const { recorder, stored } = setUp();
    recorder.record(event("x".repeat(5000)));
    await recorder.flush();
    expect(String(stored()[0]!["message"])).toHaveLength(1024);
  });
});
