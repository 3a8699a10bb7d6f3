import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { type KubeObject, keyOf } from "../../../language/object/meta.ts";
import { VirtualClock } from "../../runtime/testing/virtual-clock.ts";
import { kinds } from "../kinds.ts";
import { ModelServer, refusal, reset } from "../testing/model-server.ts";
import { type ReflectorOptions, Reflector } from "./reflector.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A reflector on a model server, and a log of the calls of its sink. */
async function reflecting(options: ReflectorOptions = {}, prepare: (server: ModelServer) => void = () => {}) {
  const server = new ModelServer();
  const clock = new VirtualClock();
  const log: string[] = [];
  const errors: { failure: string; retryMs: number }[] = [];
  const lists: boolean[] = [];
  prepare(server);
  const sink = {
    entry: (object: KubeObject) => object,
    keyOf,
    replace: (entries: ReadonlyMap<string, KubeObject>) => void log.push(`= ${[...entries.keys()].join(",")}`),
    apply: (type: string, object: KubeObject) => void log.push(`${type} ${object.metadata.name}`),
  };
  const hooks = {
    onError: (_: unknown, { failure, retryMs }: { failure: string; retryMs: number }) =>
      void errors.push({ failure, retryMs }),
    onList: ({ streamed }: { streamed: boolean }) => void lists.push(streamed),
  };
  const reflector = new Reflector(server, kinds.configMap, sink, { clock, hooks, random: () => 1, ...options });
  const abort = new AbortController();
  const run = reflector.run(abort.signal);
  stops.push(async () => {
    abort.abort();
    await run;
  });
  await clock.advance(0);
  /** The calls since the last call of this method, as `list`, `watch 5` or `watch initial`. */
  let seen = 0;
  const calls = (): string[] => {
    const fresh = server.calls.slice(seen);
    seen = server.calls.length;
    return fresh.map((call) =>
      call.verb === "list"
        ? "list"
        : `watch ${call.options.sendInitialEvents ? "initial" : call.options.resourceVersion}`,
    );
  };
  return { server, clock, log, errors, lists, abort, run, calls };
}

describe("the initial list", () => {
  test("comes as a stream if the server supports it, and the watch continues in it", async () => {
    const { server, clock, log, calls, lists } = await reflecting({}, (server) => server.put("a"));
    server.put("b");
    await clock.advance(0);
    expect(log).toEqual(["= a", "ADDED b"]);
    expect(calls()).toEqual(["watch initial"]);
    expect(lists).toEqual([true]);
  });

  test("comes as pages if streams are turned off", async () => {
    const { log, calls } = await reflecting({ streamList: false }, (server) => server.put("a"));
    expect(log).toEqual(["= a"]);
    expect(calls()).toEqual(["list", "watch 2"]);
  });

  test("comes as pages at once when the server refuses to stream, then and later", async () => {
    const { server, clock, calls, errors } = await reflecting({}, (server) => (server.initialEvents = "refused"));
    expect(calls()).toEqual(["watch initial", "list", "watch 1"]);
    expect(errors).toEqual([{ failure: "unsupported", retryMs: 0 }]);
    server.fail(refusal(410, "Expired"));
    await clock.advance(1000);
    expect(calls()).toEqual(["list", "watch 1"]);
  });

  test.each<[string, (server: ModelServer, clock: VirtualClock) => Promise<void>]>([
    ["when the end of initial events does not come", async (_, clock) => clock.advance(10_000)],
    ["when an ordinary bookmark comes instead of the end", async (server) => server.bookmark()],
  ])("comes as a list %s", async (_, happen) => {
    const { server, clock, log, calls } = await reflecting({}, (server) => {
      server.initialEvents = "ignored";
      server.put("a");
    });
    expect(log).toEqual([]);
    await happen(server, clock);
    await clock.advance(0);
    expect(calls()).toEqual(["watch initial", "list", "watch 2"]);
    expect(log).toEqual(["= a"]);
  });

  test("is not delivered in part when the stream breaks", async () => {
    const { server, clock, log, errors } = await reflecting({}, (server) => {
      server.initialEvents = "ignored";
      server.put("a");
    });
    server.end(reset());
    await clock.advance(0);
    expect(log).toEqual([]);
    expect(errors).toEqual([{ failure: "unreachable", retryMs: 800 }]);
    server.initialEvents = "served";
    await clock.advance(800);
    expect(log).toEqual(["= a"]);
  });

  test("comes as pages when its stream keeps breaking, and as a stream again when pages fail too", async () => {
    const { clock, log, calls } = await reflecting({}, (server) => {
      server.put("a");
      server.failures.push(...Array.from({ length: 7 }, reset));
    });
    await clock.advance(200_000);
    const stream = "watch initial";
    expect(calls()).toEqual([stream, stream, stream, "list", stream, stream, stream, "list", "watch 2"]);
    expect(log).toEqual(["= a"]);
  });

  test("requests the most recent version", async () => {
    const { server } = await reflecting({
      streamList: false,
      namespace: "n",
      labelSelector: "a=b",
      fieldSelector: "c=d",
      pageSize: 7,
    });
    expect(server.calls[0]).toMatchObject({
      options: { namespace: "n", labelSelector: "a=b", fieldSelector: "c=d", pageSize: 7 },
    });
    expect(server.calls[0]?.options.resourceVersion).toBeUndefined();
  });
});

describe("a watch that ends", () => {
  test("is opened again after the last event or bookmark", async () => {
    const { server, clock, calls } = await reflecting();
    calls();
    server.put("a");
    await clock.advance(2000);
    server.end();
    await clock.advance(0);
    expect(calls()).toEqual(["watch 2"]);
    server.stalled = true;
    for (const name of ["b", "c"]) server.put(name);
    server.stalled = false;
    server.bookmark();
    await clock.advance(2000);
    server.end();
    await clock.advance(0);
    expect(calls()).toEqual(["watch 4"]);
  });

  test("requests bookmarks and a random timeout of five to ten minutes", async () => {
    for (const [random, timeoutSeconds] of [[0, 300] as const, [0.5, 450] as const, [0.999, 599] as const]) {
      const { server } = await reflecting({ random: () => random });
      expect(server.calls[0]?.options).toMatchObject({ timeoutSeconds, allowWatchBookmarks: true });
    }
  });

  test("at once without events does not cause a busy loop", async () => {
    const { server, clock, errors, calls } = await reflecting();
    calls();
    await clock.advance(5000);
    server.end();
    await clock.advance(0);
    server.end();
    await clock.advance(0);
    expect(calls()).toEqual(["watch 1"]);
    expect(errors).toEqual([{ failure: "failed", retryMs: 800 }]);
  });
});

describe("after a fault", () => {
  test("of the connection: waits, continues from the last version and misses nothing", async () => {
    const { server, clock, log, calls } = await reflecting();
    calls();
    server.end(reset());
    await clock.advance(0);
    server.put("a");
    server.remove("a");
    await clock.advance(799);
    expect(calls()).toEqual([]);
    await clock.advance(1);
    expect(calls()).toEqual(["watch 1"]);
    expect(log).toEqual(["= ", "ADDED a", "DELETED a"]);
  });

  test.each([
    ["as a status", false],
    ["in the stream", true],
  ])("410 %s: lists again", async (_, inStream) => {
    const { server, clock, log, calls } = await reflecting({}, (server) => (server.expiresInStream = inStream));
    server.end(reset());
    await clock.advance(0);
    server.put("a");
    server.compact();
    calls();
    await clock.advance(5000);
    expect(calls()).toEqual(["watch 1", "watch initial"]);
    expect(log).toEqual(["= ", "= a"]);
  });

  test("429: waits as long as requested, within bounds, and keeps its version", async () => {
    const { server, clock, errors, calls } = await reflecting();
    calls();
    const asked = [5, 3600];
    server.failures.push(...asked.map((retryAfterSeconds) => refusal(429, "TooManyRequests", { retryAfterSeconds })));
    server.end(reset());
    await clock.advance(60_000);
    expect(errors.slice(1)).toEqual([
      { failure: "throttled", retryMs: 5000 + 1600 },
      { failure: "throttled", retryMs: 30_000 + 3200 },
    ]);
    expect(calls()).toEqual(["watch 1", "watch 1", "watch 1"]);
  });

  test("500 repeatedly: waits grow to a bound, and after three there is a new list", async () => {
    const { server, clock, errors, calls } = await reflecting({ streamList: false });
    calls();
    server.failures.push(...Array.from({ length: 8 }, () => refusal(500)));
    server.end(refusal(500));
    await clock.advance(141_000);
    expect(errors.map(({ retryMs }) => retryMs)).toEqual([
      800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000,
    ]);
    expect(calls().slice(0, 4)).toEqual(["watch 1", "watch 1", "list", "list"]);
    expect(server.watches).toBe(1);
  });

  test("soon after each watch opened: the waits grow", async () => {
    const { server, clock, errors } = await reflecting();
    for (const waitMs of [800, 1600, 3200, 6400]) {
      server.end(reset());
      await clock.advance(waitMs + waitMs / 2);
    }
    expect(errors.map(({ retryMs }) => retryMs)).toEqual([800, 1600, 3200, 6400]);
  });

  test("of a watch that held as long as the wait before it: the waits start over, even without an event", async () => {
    const { server, clock, errors } = await reflecting();
    for (const ms of [800 + 100, 1600 + 100, 3200 + 3200, 800 + 800, 800 + 800]) {
      server.end(reset());
      await clock.advance(ms);
    }
    server.end(reset());
    await clock.advance(0);
    expect(errors.map(({ retryMs }) => retryMs)).toEqual([800, 1600, 3200, 800, 800, 800]);
  });

  test("a restart that loses the server's history: one wait, then the new list", async () => {
    const { server, clock, log, errors } = await reflecting();
    server.end(reset());
    await clock.advance(0);
    server.put("a");
    server.compact();
    await clock.advance(800);
    expect(log).toEqual(["= ", "= a"]);
    expect(errors).toEqual([
      { failure: "unreachable", retryMs: 800 },
      { failure: "expired", retryMs: 0 },
    ]);
  });

  test("410 for every version: at most every second list comes without a wait, and the waits grow", async () => {
    const { server, clock, errors } = await reflecting({ streamList: false });
    server.expire = true;
    server.end(reset());
    await clock.advance(6000);
    expect(errors.map(({ retryMs }) => retryMs)).toEqual([800, 0, 1600, 0, 3200, 0, 6400]);
  });

  test("410 for all watchers at the same time: they do not return at the same time", async () => {
    const { server, clock, errors } = await reflecting();
    server.end(reset());
    await clock.advance(800 + 5000);
    server.fail(refusal(410, "Expired"));
    await clock.advance(0);
    expect(errors.at(-1)).toEqual({ failure: "expired", retryMs: 800 });
  });

  test("that follows an event: the waits start over", async () => {
    const { server, clock, errors } = await reflecting();
    for (let i = 0; i < 3; i++) {
      server.put("a");
      await clock.advance(5000);
      server.end(reset());
      await clock.advance(0);
    }
    expect(errors.map(({ retryMs }) => retryMs)).toEqual([800, 800, 800]);
  });

  test("silence: the watch is closed and opened again", async () => {
    const { server, clock, calls, errors, log } = await reflecting();
    calls();
    server.stalled = true;
    server.put("a");
    await clock.advance(149_999);
    expect(calls()).toEqual([]);
    server.stalled = false;
    await clock.advance(801);
    expect(errors).toEqual([{ failure: "failed", retryMs: 800 }]);
    expect(calls()).toEqual(["watch 1"]);
    expect(log).toEqual(["= ", "ADDED a"]);
  });

  test("bytes are not silence, even without a complete event", async () => {
    const { server, clock, errors } = await reflecting();
    const call = server.calls[0];
    for (let i = 0; i < 5; i++) {
      await clock.advance(100_000);
      if (call?.verb === "watch") call.options.onActivity?.();
    }
    expect(errors).toEqual([]);
  });

  test("a server restored from a backup is detected by its bookmark", async () => {
    const { server, clock, log } = await reflecting();
    for (const name of ["a", "b", "c"]) server.put(name);
    await clock.advance(0);
    server.end(reset());
    await clock.advance(0);
    server.rewind();
    server.put("x");
    await clock.advance(1000);
    server.bookmark();
    await clock.advance(2000);
    expect(log.at(-1)).toBe("= x");
  });

  test("a server restored from a backup that sends no bookmarks is detected by its silence", async () => {
    const { server, clock, log } = await reflecting();
    for (const name of ["a", "b", "c"]) server.put(name);
    await clock.advance(0);
    server.rewind();
    server.end(reset());
    await clock.advance(3 * 160_000);
    expect(log.at(-1)).toBe("= ");
  });

  test("an error of the sink: the reflector continues", async () => {
    const server = new ModelServer();
    const clock = new VirtualClock();
    let calls = 0;
    const sink = {
      entry: (object: KubeObject) => object,
      keyOf,
      replace: () => {
        if (calls++ === 0) throw new Error("no");
      },
      apply: () => {},
    };
    const abort = new AbortController();
    const run = new Reflector(server, kinds.configMap, sink, { clock, random: () => 1 }).run(abort.signal);
    await clock.advance(1000);
    expect(calls).toBe(2);
    abort.abort();
    await run;
  });
});

test("a stop ends it at once, during a watch or a wait", async () => {
  const watching = await reflecting();
  watching.abort.abort();
  await watching.run;
  expect([watching.server.watches, watching.clock.pending]).toEqual([0, 0]);
  const waiting = await reflecting({}, (server) => void server.failures.push(reset()));
  waiting.abort.abort();
  await waiting.run;
  expect([waiting.server.watches, waiting.clock.pending]).toEqual([0, 0]);
});

test("hundreds of broken watches leave no listener, timer or stream behind", async () => {
  const { server, clock, abort } = await reflecting();
  const faults = [undefined, reset(), refusal(500), refusal(410, "Expired")];
  for (let i = 0; i < 400; i++) {
    server.put("a");
    server.end(faults[i % faults.length]);
    await clock.advance(31_000);
  }
  expect(server.watches).toBe(1);
  expect(clock.pending).toBe(1);
  expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
});
