import { describe, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function start(options: Partial<WorkQueueOptions> = {}): { clock: VirtualClock; queue: WorkQueue } {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue({ name: "test", clock, ...options }) };
}

describe("work queue", () => {
  test("hands out each key once, in the order of adding", async () => {
    const { queue } = start();
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(queue.depth).toBe(3);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(["a", "b", "c"]);
    expect(queue.depth).toBe(0);
  });

  test("a key added while it is processed is handed out after done, not before", async () => {
    const { clock, queue } = start();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("a");
    const second = settled(queue.take());
    await clock.advance(0);
    expect(second.value).toBe("pending");
    queue.done("a");
    await clock.advance(0);
    expect(second.value).toBe("a");
    queue.done("a");
    expect(queue.depth).toBe(0);
  });

  test("a waiting worker gets the key at once", async () => {
    const { queue } = start();
    const first = queue.take();
    const second = queue.take();
    queue.add("a");
    queue.add("b");
    expect([await first, await second]).toEqual(["a", "b"]);
  });

  test("low priority waits for normal, and moves up when added as normal", async () => {
    const { queue } = start();
    queue.add("low-1", "low");
    queue.add("low-2", "low");
    queue.add("normal");
    queue.add("low-2");
    const order = [await queue.take(), await queue.take(), await queue.take()];
    expect(order).toEqual(["normal", "low-2", "low-1"]);
  });

  test("of two delays for one key the earlier one counts, in any order", async () => {
    for (const delays of [
      [50, 20],
      [20, 50],
    ]) {
      const { clock, queue } = start();
      for (const ms of delays) queue.addAfter("a", ms);
      await clock.advance(19);
      expect(queue.depth).toBe(0);
      await clock.advance(1);
      expect(await queue.take()).toBe("a");
      queue.done("a");
      await clock.advance(100);
      expect(queue.depth).toBe(0);
      expect(clock.pending).toBe(0);
    }
  });

  test("a cancelled delay leaves no timer", async () => {
    const { clock, queue } = start();
    queue.addAfter("a", 20);
    expect(queue.cancelDelayed("a")).toBe(true);
    expect(queue.cancelDelayed("a")).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test("a delay of months causes no busy loop", async () => {
    const timers: number[] = [];
    const clock = new VirtualClock();
    const queue = new WorkQueue({
      name: "test",
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        after(ms, callback) {
          timers.push(ms);
          return clock.after(ms, callback);
        },
      },
    });
    const month = 30 * 24 * 3600 * 1000;
    queue.addAfter("a", month);
    await clock.advance(month - 1);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
    expect(timers).toEqual([2 ** 31 - 1, month - (2 ** 31 - 1)]);
  });

  test("failures of one key double its wait up to the longest; forget starts over", async () => {
    const { clock, queue } = start({ backoff: { baseMs: 5, maxMs: 20 }, overall: false });
    const waits: number[] = [];
    for (let round = 0; round < 5; round++) {
      if (round === 4) queue.forget("a");
      queue.addRateLimited("a");
      const from = clock.monotonic();
      while (queue.depth === 0) await clock.advance(1);
      waits.push(clock.monotonic() - from);
      queue.done((await queue.take())!);
    }
    expect(waits).toEqual([5, 10, 20, 20, 5]);
  });

  test("all rate-limited keys share the token bucket: a burst, then a rate per second", async () => {
    const { clock, queue } = start({ overall: { perSecond: 10, burst: 3 } });
    for (let i = 0; i < 6; i++) queue.addRateLimited(`key-${i}`);
    const depths: number[] = [];
    for (const ms of [5, 95, 100, 100]) {
      await clock.advance(ms);
      depths.push(queue.depth);
    }
    expect(depths).toEqual([3, 4, 5, 6]);
  });

  test("an aborted take does not consume a later key", async () => {
    const { queue } = start();
    const abort = new AbortController();
    const taken = queue.take(abort.signal);
    abort.abort();
    expect(await taken).toBeUndefined();
    queue.add("a");
    expect(await queue.take(abort.signal)).toBeUndefined();
    expect(queue.depth).toBe(1);
  });

  test("shutDown drops waiting keys and resolves when running work is done", async () => {
    const { clock, queue } = start();
    queue.add("running");
    queue.add("waiting");
    await queue.take();
    queue.add("running");
    queue.addAfter("later", 10);
    const down = settled(queue.shutDown().then(() => "down"));
    queue.add("too late");
    expect(await queue.take()).toBeUndefined();
    await clock.advance(20);
    expect(down.value).toBe("pending");
    queue.done("running");
    await clock.advance(0);
    expect(down.value).toBe("down");
    expect(queue.depth).toBe(0);
  });

  test("shutDown with drain still hands out waiting keys and keys that were added again", async () => {
    const { clock, queue } = start();
    queue.add("a");
    queue.add("b");
    await queue.take();
    queue.add("a");
    const down = settled(queue.shutDown({ drain: true }).then(() => "down"));
    expect(await queue.take()).toBe("b");
    const last = queue.take();
    queue.done("a");
    expect(await last).toBe("a");
    queue.done("b");
    expect(await queue.take()).toBeUndefined();
    await clock.advance(0);
    expect(down.value).toBe("pending");
    queue.done("a");
    await clock.advance(0);
    expect(down.value).toBe("down");
  });

  test("shutDown resolves waiting takes", async () => {
    const { queue } = start();
    const waiting = [queue.take(), queue.take()];
    await queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });
});

/** The state of a promise. */
function settled<T>(promise: Promise<T>): { value: T | "pending" } {
  const look: { value: T | "pending" } = { value: "pending" };
  void promise.then((value) => {
    look.value = value;
    return value;
  });
  return look;
}
