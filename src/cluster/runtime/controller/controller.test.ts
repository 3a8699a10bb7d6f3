import { describe, expect, test } from "vitest";
import { type KubeObject, keyOf } from "../../../language/object/meta.ts";
import { ApiError } from "../../kube/api-error.ts";
import type { CacheEvent, Informer } from "../../kube/cache.ts";
import { type Log, noLog } from "../log/log.ts";
import { createPromMetrics } from "../metrics/prom-metrics.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { Controller, type ControllerOptions, source } from "./controller.ts";

const object = (name: string): KubeObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } });

/** An informer driven by the test. */
function fakeInformer(): Informer & { emit(event: CacheEvent<KubeObject>): void; sync(): void } {
  const handlers = new Set<(event: CacheEvent<KubeObject>) => void>();
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return {
    synced: false,
    whenSynced: (signal) =>
      Promise.race([
        promise,
        new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      ]),
    subscribe(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    run: async () => {},
    get: () => undefined,
    list: () => [],
    byIndex: () => [],
    emit: (event) => {
      for (const handler of handlers) handler(event);
    },
    sync: () => resolve(),
  };
}

function start(options: Partial<ControllerOptions<string>>) {
  const clock = new VirtualClock();
  const informer = fakeInformer();
  const stop = new AbortController();
  const controller = new Controller<string>({
    name: "test",
    sources: [source(informer, ({ object }) => [keyOf(object)])],
    reconcile: async () => ({}),
    clock,
    ...options,
  });
  let state = "running";
  const ended = controller.run(stop.signal).then(
    () => (state = "stopped"),
    (error: unknown) => (state = String(error)),
  );
  return { clock, informer, stop, controller, ended, state: () => state };
}

const added = (name: string): CacheEvent<KubeObject> => ({ type: "added", object: object(name) });

describe("controller", () => {
  test("starts after its sources are synced, then reconciles every key once", async () => {
    const seen: string[] = [];
    const { clock, informer } = start({
      reconcile: async (key) => {
        seen.push(key);
        return {};
      },
    });
    for (const name of ["a", "b", "a"]) informer.emit(added(name));
    await clock.advance(0);
    expect(seen).toEqual([]);
    informer.sync();
    await clock.advance(0);
    expect(seen).toEqual(["a", "b"]);
  });

  test("reconciles several keys at once, never one key twice", async () => {
    const running: string[] = [];
    const release: (() => void)[] = [];
    const { clock, informer } = start({
      concurrency: 2,
      reconcile: (key) => {
        running.push(key);
        return new Promise((resolve) => release.push(() => resolve({})));
      },
    });
    informer.sync();
    for (const name of ["a", "b", "c"]) informer.emit(added(name));
    await clock.advance(0);
    informer.emit(added("a"));
    await clock.advance(0);
    expect(running).toEqual(["a", "b"]);
    release[1]!();
    await clock.advance(0);
    expect(running).toEqual(["a", "b", "c"]);
    release[0]!();
    await clock.advance(0);
    expect(running).toEqual(["a", "b", "c", "a"]);
  });

  test("a failed key is retried with backoff until it succeeds, and other keys do not wait", async () => {
    const at: [string, number][] = [];
    const begin = new VirtualClock().now();
    const { clock, informer } = start({
      reconcile: async (key) => {
        at.push([key, clock.now() - begin]);
        if (key === "bad" && at.length < 5) throw new Error("no");
        return {};
      },
    });
    informer.sync();
    informer.emit(added("bad"));
    informer.emit(added("good"));
    await clock.advance(1000);
    expect(at).toEqual([
      ["bad", 0],
      ["good", 0],
      ["bad", 5],
      ["bad", 15],
      ["bad", 35],
    ]);
  });

  test("a conflict is retried without a word: the cache was behind", async () => {
    const logged: string[] = [];
    const log: Log = { ...noLog, error: (_, message) => void logged.push(message), child: () => log };
    let calls = 0;
    const { clock, informer } = start({
      log,
      reconcile: async () => {
        if (++calls < 3) throw new ApiError({ code: 409, reason: "Conflict", message: "newer" });
        return {};
      },
    });
    informer.sync();
    informer.emit(added("n"));
    await clock.advance(1000);
    expect({ calls, logged }).toEqual({ calls: 3, logged: [] });
  });

  test("counts outcomes from zero, and bugs separately", async () => {
    const metrics = await createPromMetrics();
    const { clock, informer } = start({
      metrics,
      reconcile: async (key) => {
        if (key === "fails") throw new Error("no");
        if (key === "mistake") throw new TypeError("x is not a function");
        return key === "later" ? { requeueAfterMs: 60_000 } : key === "again" ? { requeue: true } : {};
      },
    });
    const counts = async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (await metrics.text())
          .split("\n")
          .map((line) => /^controller_runtime_(\w+)\{controller="test"(?:,result="(\w+)")?\} (.*)$/.exec(line))
          .flatMap((found) => (found && !found[1]!.includes("seconds") ? [[found[2] ?? found[1]!, found[3]!]] : [])),
      );
    const zero = {
      success: "0",
      error: "0",
      requeue: "0",
      requeue_after: "0",
      reconcile_errors_total: "0",
      reconcile_panics_total: "0",
      max_concurrent_reconciles: "1",
      active_workers: "0",
    };
    expect(await counts()).toEqual(zero);
    informer.sync();
    for (const name of ["fails", "mistake", "later", "again", "fine"]) informer.emit(added(name));
    await clock.advance(0);
    expect(await counts()).toEqual({
      ...zero,
      success: "1",
      error: "2",
      requeue: "1",
      requeue_after: "1",
      reconcile_errors_total: "2",
      reconcile_panics_total: "1",
    });
  });

  test("a stop waits for running reconciles, starts none, and aborts them after the grace period", async () => {
    let aborted = false;
    const seen: string[] = [];
    const { clock, informer, stop, state } = start({
      stopGraceMs: 1000,
      reconcile: (key, { signal }) => {
        seen.push(key);
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            aborted = true;
            resolve({});
          }),
        );
      },
    });
    informer.sync();
    informer.emit(added("a"));
    informer.emit(added("b"));
    await clock.advance(0);
    stop.abort();
    await clock.advance(999);
    expect([aborted, state()]).toEqual([false, "running"]);
    await clock.advance(1);
    expect([aborted, state()]).toEqual([true, "stopped"]);
    expect(seen).toEqual(["a"]);
  });

  test("a stop before the sources are synced is not an error", async () => {
    const { stop, ended } = start({});
    stop.abort();
    expect(await ended).toBe("stopped");
  });

  test("an event for which toKeys throws is logged, and the next one is handled", async () => {
    const seen: string[] = [];
    const errors: unknown[] = [];
    const informer = fakeInformer();
    const log = { ...noLog, error: (fields: unknown) => errors.push(fields), child: () => log };
    const { clock } = start({
      log,
      sources: [
        source(informer, ({ object }) => {
          if (object.metadata.name === "odd") throw new Error("odd");
          return [keyOf(object)];
        }),
      ],
      reconcile: async (key) => {
        seen.push(key);
        return {};
      },
    });
    informer.sync();
    informer.emit(added("odd"));
    informer.emit(added("even"));
    await clock.advance(0);
    expect(seen).toEqual(["even"]);
    expect(errors).toEqual([{ error: new Error("odd") }]);
  });
});
