import * as fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type Priority, WorkQueue } from "./work-queue.ts";

/** The simplest implementation of the queue: lists with linear search. */
interface Model {
  now: number;
  waiting: { key: string; priority: Priority }[];
  running: string[];
  again: { key: string; priority: Priority }[];
  delayed: { key: string; due: number }[];
  failures: Record<string, number>;
}

interface Real {
  clock: VirtualClock;
  queue: WorkQueue;
}

function modelAdd(model: Model, key: string, priority: Priority): void {
  const line = model.running.includes(key) ? model.again : model.waiting;
  const at = line.findIndex((other) => other.key === key);
  if (at >= 0 && (line[at]!.priority === priority || priority === "low")) return;
  if (at >= 0) line.splice(at, 1);
  line.push({ key, priority });
}

function modelDelay(model: Model, key: string, ms: number): void {
  if (ms <= 0) return modelAdd(model, key, "normal");
  const due = model.now + ms;
  const before = model.delayed.find((other) => other.key === key);
  if (before && before.due <= due) return;
  model.delayed = [...model.delayed.filter((other) => other.key !== key), { key, due }];
}

function modelTake(model: Model): string | undefined {
  const at = model.waiting.findIndex(({ priority }) => priority === "normal");
  const [next] = model.waiting.splice(Math.max(at, 0), 1);
  if (next) model.running.push(next.key);
  return next?.key;
}

type Command = fc.AsyncCommand<Model, Real>;
const command = (
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => void | Promise<void>,
): Command => ({
  check,
  async run(model, real) {
    await run(model, real);
    expect(real.queue.depth).toBe(model.waiting.length);
    expect(real.queue.running).toBe(model.running.length);
  },
  toString: () => name,
});

const keys = fc.constantFrom("a", "b", "c", "__proto__", "e");
const commands = [
  fc.tuple(keys, fc.constantFrom<Priority>("normal", "low")).map(([key, priority]) =>
    command(
      `add ${key} ${priority}`,
      () => true,
      (model, { queue }) => {
        queue.add(key, priority);
        modelAdd(model, key, priority);
      },
    ),
  ),
  fc.tuple(keys, fc.integer({ min: 0, max: 40 })).map(([key, ms]) =>
    command(
      `addAfter ${key} ${ms}`,
      () => true,
      (model, { queue }) => {
        queue.addAfter(key, ms);
        modelDelay(model, key, ms);
      },
    ),
  ),
  keys.map((key) =>
    command(
      `addRateLimited ${key}`,
      () => true,
      (model, { queue }) => {
        queue.addRateLimited(key);
        const failures = Object.hasOwn(model.failures, key) ? model.failures[key]! : 0;
        Object.defineProperty(model.failures, key, { value: failures + 1, configurable: true });
        modelDelay(model, key, Math.min(5 * 2 ** failures, 80));
      },
    ),
  ),
  keys.map((key) =>
    command(
      `forget ${key}`,
      () => true,
      (model, { queue }) => {
        queue.forget(key);
        delete model.failures[key];
      },
    ),
  ),
  keys.map((key) =>
    command(
      `cancelDelayed ${key}`,
      () => true,
      (model, { queue }) => {
        expect(queue.cancelDelayed(key)).toBe(model.delayed.some((other) => other.key === key));
        model.delayed = model.delayed.filter((other) => other.key !== key);
      },
    ),
  ),
  fc.constant(
    command(
      "take",
      (model) => model.waiting.length > 0,
      async (model, { queue }) => {
        expect(await queue.take()).toBe(modelTake(model));
      },
    ),
  ),
  keys.map((key) =>
    command(
      `done ${key}`,
      (model) => model.running.includes(key),
      (model, { queue }) => {
        queue.done(key);
        model.running = model.running.filter((other) => other !== key);
        const again = model.again.find((other) => other.key === key);
        model.again = model.again.filter((other) => other.key !== key);
        if (again) modelAdd(model, again.key, again.priority);
      },
    ),
  ),
  fc.integer({ min: 1, max: 60 }).map((ms) =>
    command(
      `advance ${ms}`,
      () => true,
      async (model, { clock }) => {
        await clock.advance(ms);
        model.now += ms;
        const due = model.delayed.filter((other) => other.due <= model.now).toSorted((a, b) => a.due - b.due);
        model.delayed = model.delayed.filter((other) => other.due > model.now);
        for (const { key } of due) modelAdd(model, key, "normal");
      },
    ),
  ),
];

test("the queue behaves like the simple model for any order of calls", async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 80, size: "max" }), async (run) => {
      const clock = new VirtualClock(0);
      const queue = new WorkQueue({ name: "test", clock, overall: false, backoff: { baseMs: 5, maxMs: 80 } });
      await fc.asyncModelRun(
        () => ({
          model: { now: 0, waiting: [], running: [], again: [], delayed: [], failures: {} },
          real: { clock, queue },
        }),
        run,
      );
    }),
    { numRuns: 150 },
  );
});

test("thousands of delays that are moved and cancelled are handed out in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 1000 })), {
        minLength: 500,
        maxLength: 1500,
      }),
      async (delays) => {
        const clock = new VirtualClock(0);
        const queue = new WorkQueue<number>({ name: "test", clock });
        const due = new Map<number, number>();
        for (const [key, ms] of delays) {
          if (ms % 7 === 0) {
            queue.cancelDelayed(key);
            due.delete(key);
          } else {
            queue.addAfter(key, ms);
            due.set(key, Math.min(due.get(key) ?? Infinity, ms));
          }
        }
        await clock.advance(2000);
        const taken: number[] = [];
        while (queue.depth > 0) taken.push((await queue.take())!);
        expect(taken.map((key) => due.get(key))).toEqual([...due.values()].toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 5 },
  );
});
