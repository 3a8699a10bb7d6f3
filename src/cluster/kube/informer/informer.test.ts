import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type KubeObject, keyOf } from "../../../language/object/meta.ts";
import { VirtualClock } from "../../runtime/testing/virtual-clock.ts";
import type { CacheEvent, Informer } from "../cache.ts";
import { kinds, untyped } from "../kinds.ts";
import { EventFollower } from "../testing/event-follower.ts";
import { ModelServer, refusal, reset } from "../testing/model-server.ts";
import { type InformerOptions, createInformer } from "./informer.ts";

const kind = untyped("v1", "ConfigMap", "configmaps", true);

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function informing<P extends KubeObject = KubeObject>(options: InformerOptions<KubeObject, P> = {}) {
  const server = new ModelServer();
  const clock = new VirtualClock();
  const informer = createInformer<KubeObject, P>(server, kind, { clock, freeze: true, random: () => 0.5, ...options });
  const abort = new AbortController();
  const start = async (): Promise<void> => {
    const run = informer.run(abort.signal);
    stops.push(async () => {
      abort.abort();
      await run;
    });
    await clock.advance(0);
  };
  return { server, clock, informer, abort, start };
}

function logged<T extends KubeObject>(informer: Informer<T>): string[] {
  const log: string[] = [];
  informer.subscribe((event) => {
    const { name, resourceVersion } = event.object.metadata;
    log.push(`${event.type} ${name}@${resourceVersion}`);
  });
  return log;
}

describe("what changed while there was no watch", () => {
  test("is emitted after a new list: deletions, changes, and nothing else", async () => {
    const { server, clock, informer, start } = informing();
    for (const name of ["gone", "changed", "same"]) server.put(name);
    await start();
    const log = logged(informer);
    log.length = 0;
    server.end(reset());
    await clock.advance(0);
    server.remove("gone");
    server.put("changed");
    server.put("new");
    server.compact();
    await clock.advance(10_000);
    expect(log).toEqual(["deleted gone@2", "updated changed@6", "added new@7"]);
  });

  test("a new object of the same name is not an update of the old one", async () => {
    const { server, clock, informer, start } = informing();
    server.put("a", "old");
    await start();
    const log = logged(informer);
    server.end(reset());
    await clock.advance(0);
    server.remove("a");
    server.put("a", "new");
    server.compact();
    await clock.advance(10_000);
    expect(log).toEqual(["added a@2", "deleted a@2", "added a@4"]);
  });
});

test("a deleted event has the last state, an updated event both", async () => {
  const { server, clock, informer, start } = informing();
  const events: CacheEvent<KubeObject>[] = [];
  informer.subscribe((event) => events.push(event));
  await start();
  server.put("a", 1);
  server.put("a", 2);
  server.remove("a");
  await clock.advance(0);
  expect(events).toMatchObject([
    { type: "added", object: { value: 1 } },
    { type: "updated", object: { value: 2 }, before: { value: 1 } },
    { type: "deleted", object: { value: 2, metadata: { resourceVersion: "4" } } },
  ]);
  expect(informer.list()).toEqual([]);
});

describe("handlers", () => {
  test("that subscribe late first get the cached objects", async () => {
    const { server, informer, start, clock } = informing();
    server.put("a");
    await start();
    const log = logged(informer);
    expect(log).toEqual(["added a@2"]);
    server.put("b");
    await clock.advance(0);
    expect(log).toEqual(["added a@2", "added b@3"]);
  });

  test("that subscribe during an event get it once", async () => {
    const { server, informer, start, clock } = informing();
    await start();
    let inner: string[] = [];
    const leave = informer.subscribe(() => {
      leave();
      inner = logged(informer);
    });
    server.put("a");
    server.put("b");
    await clock.advance(0);
    expect(inner).toEqual(["added a@2", "added b@3"]);
  });

  test("that unsubscribed get nothing more, not even the current event", async () => {
    const { server, informer, start, clock } = informing();
    await start();
    const log: string[] = [];
    const leave: (() => void)[] = [];
    informer.subscribe(() => leave.forEach((one) => one()));
    leave.push(informer.subscribe(() => log.push("heard")));
    server.put("a");
    await clock.advance(0);
    expect(log).toEqual([]);
  });

  test("that throw do not affect other handlers", async () => {
    const errors: unknown[] = [];
    const { server, informer, start, clock } = informing({ onHandlerError: (error) => errors.push(error) });
    await start();
    informer.subscribe(() => {
      throw new Error("mine");
    });
    const log = logged(informer);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    expect(log).toEqual(["added a@2", "added b@3"]);
    expect(errors).toHaveLength(2);
  });

  test("see the cache with the event applied", async () => {
    const { server, informer, start, clock } = informing();
    for (const name of ["a", "b", "c"]) server.put(name);
    const sizes: number[] = [];
    informer.subscribe(() => sizes.push(informer.list().length));
    await start();
    server.remove("a");
    await clock.advance(0);
    expect(sizes).toEqual([1, 2, 3, 2]);
  });
});

describe("being synced", () => {
  test("begins with the first complete list, an empty one too", async () => {
    const { informer, start } = informing();
    const waiting = informer.whenSynced();
    expect(informer.synced).toBe(false);
    await start();
    await waiting;
    expect(informer.synced).toBe(true);
    await informer.whenSynced(AbortSignal.abort());
  });

  test("is awaited until the caller aborts or the informer ends", async () => {
    const { server, clock, informer, abort, start } = informing();
    server.failures.push(...Array.from({ length: 100 }, () => refusal(403, "Forbidden")));
    const own = new AbortController();
    const results = [informer.whenSynced(own.signal), informer.whenSynced()].map(async (one) =>
      one.then(() => "ok", String),
    );
    await start();
    await clock.advance(60_000);
    own.abort(new Error("mine"));
    expect(await results[0]).toBe("Error: mine");
    abort.abort(new Error("stopped"));
    expect(await results[1]).toBe("Error: stopped");
  });
});

describe("the cache", () => {
  const project = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name: metadata.name },
  });

  test("holds the projection, and still recognizes a known version", async () => {
    const { server, clock, informer, start } = informing({ project });
    server.put("a", "large");
    await start();
    const log: string[] = [];
    informer.subscribe(({ type }) => log.push(type));
    expect(informer.get("a")).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
    server.fail(refusal(410, "Expired"));
    await clock.advance(10_000);
    expect(server.calls).toHaveLength(2);
    expect(log).toEqual(["added"]);
  });

  test("holds no object without a projection, and forgets one that loses it", async () => {
    const isLarge = (object: KubeObject): KubeObject | undefined => (object["value"] === "large" ? object : undefined);
    const { server, clock, informer, start } = informing({ project: isLarge });
    for (const name of ["a", "b"]) server.put(name, "large");
    server.put("c", "small");
    await start();
    const log = logged(informer);
    expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    server.put("a", "small");
    server.put("c", "large");
    server.remove("a");
    await clock.advance(0);
    server.put("b", "small");
    server.fail(refusal(410, "Expired"));
    await clock.advance(10_000);
    expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(["c"]);
    expect(log.map((line) => line.split("@")[0])).toEqual(["added a", "added b", "deleted a", "added c", "deleted b"]);
  });

  test("is deeply frozen on demand", async () => {
    const { server, informer, start } = informing();
    server.put("a", { deep: [1] });
    await start();
    const value = informer.get("a")?.["value"] as { deep: number[] };
    expect(() => value.deep.push(2)).toThrow(TypeError);
  });

  test("finds objects by index", async () => {
    const { server, clock, informer, start } = informing({ indexes: { value: (object) => [String(object["value"])] } });
    await start();
    server.put("a", "x");
    server.put("b", "x");
    server.put("a", "y");
    await clock.advance(0);
    expect(informer.byIndex("value", "x").map(keyOf)).toEqual(["b"]);
    expect(informer.byIndex("value", "y").map(keyOf)).toEqual(["a"]);
    expect(informer.byIndex("value", "z")).toEqual([]);
  });
});

test("a second run at the same time is refused", async () => {
  const { informer, start } = informing();
  await start();
  await expect(informer.run(new AbortController().signal)).rejects.toThrow("it runs already");
});

test("types follow the kind", () => {
  const informer = createInformer(new ModelServer(), kinds.node, {
    indexes: { provider: (node) => [node.spec?.providerID ?? ""] },
  });
  expect(informer.byIndex("provider", "x").map((node) => node.status?.addresses)).toEqual([]);
});

describe("with any faults between server and cache", () => {
  const name = fc.constantFrom("a", "b", "c", "__proto__");
  const failure = fc.constantFrom(
    () => reset(),
    () => refusal(500),
    () => refusal(410, "Expired"),
    () => refusal(429),
    () => undefined,
  );
  type Step = (server: ModelServer, clock: VirtualClock) => unknown;
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: name.map(
        (name): Step =>
          (server) =>
            server.put(name),
      ),
    },
    {
      weight: 3,
      arbitrary: name.map(
        (name): Step =>
          (server) =>
            server.remove(name),
      ),
    },
    {
      weight: 2,
      arbitrary: failure.map(
        (make): Step =>
          (server) =>
            server.end(make()),
      ),
    },
    {
      weight: 2,
      arbitrary: failure.map(
        (make): Step =>
          (server) =>
            void server.failures.push(make() ?? reset()),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Step>((server) => server.compact()) },
    { weight: 1, arbitrary: fc.constant<Step>((server) => server.bookmark()) },
    { weight: 1, arbitrary: fc.constant<Step>((server) => server.fail(refusal(410, "Expired"))) },
    {
      weight: 1,
      arbitrary: fc.boolean().map(
        (on): Step =>
          (server) =>
            void (server.stalled = on),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.boolean().map(
        (on): Step =>
          (server) =>
            void (server.expiresInStream = on),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("served" as const, "refused" as const, "ignored" as const).map(
        (how): Step =>
          (server) =>
            void (server.initialEvents = how),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(0, 500, 20_000, 200_000).map(
        (ms): Step =>
          async (_, clock) =>
            clock.advance(ms),
      ),
    },
  );

  test("the cache ends up equal to the server, and its events form a valid sequence", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, streamList) => {
        const { server, clock, informer, abort } = informing({
          streamList,
          indexes: { uid: ({ metadata }) => [metadata.uid ?? ""] },
        });
        const follower = new EventFollower();
        const late = new EventFollower();
        informer.subscribe((event) => follower.follow(event));
        const run = informer.run(abort.signal);
        for (const [i, take] of steps.entries()) {
          await take(server, clock);
          if (i === 10) informer.subscribe((event) => late.follow(event));
          expect(new Map(informer.list().map((object) => [keyOf(object), object]))).toEqual(follower.objects);
        }
        server.stalled = false;
        server.failures.length = 0;
        // Long enough for the longest silence and the longest wait to end.
        await clock.advance(400_000);
        abort.abort();
        await run;
        expect(new Map(informer.list().map((object) => [keyOf(object), object]))).toEqual(server.state);
        expect(follower.objects).toEqual(server.state);
        expect([...follower.complaints, ...late.complaints]).toEqual([]);
        if (steps.length > 10) expect(late.objects).toEqual(server.state);
        for (const object of server.state.values())
          expect(informer.byIndex("uid", object.metadata.uid ?? "")).toEqual([object]);
        expect([server.watches, clock.pending]).toEqual([0, 0]);
      }),
      { numRuns: 200 },
    );
  });
});
