import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Fault } from "../fault-proxy/fault-proxy.ts";
import { LiveStage } from "./live-stage.ts";
import { restartableVariants } from "./restartable-server.ts";
import { story } from "./story.ts";
import { undisturbedOutcomes } from "./undisturbed.ts";

/** What happens to operator and server in every step, right after the changes of the step. */
const faults: readonly { readonly what: string; readonly strike: (stage: LiveStage) => Promise<void> }[] = [
  { what: "nothing", strike: async () => {} },
  { what: "requests are answered with 409", strike: async ({ proxy }) => proxy.plan("other", ...answers(409, 3)) },
  { what: "requests are answered with 500", strike: async ({ proxy }) => proxy.plan("other", ...answers(500, 5)) },
  {
    what: "requests are answered with 429, to come back in a second",
    strike: async ({ proxy }) => proxy.plan("other", ...answers(429, 2, { "retry-after": "1" })),
  },
  { what: "connections are reset", strike: async ({ proxy }) => proxy.reset() },
  {
    what: "watches are cut in the middle of an event, and then refused",
    strike: async ({ proxy }) => {
      proxy.plan("watch", { kind: "cut", afterBytes: 100, by: "reset" }, { kind: "cut", afterBytes: 100, by: "end" });
      proxy.plan("watch", ...answers(500, 2));
      proxy.reset();
    },
  },
  {
    what: "the server reports watches as too old",
    strike: async ({ proxy }) => proxy.say({ type: "ERROR", object: statusOf(410, "Expired") }),
  },
  {
    what: "answers are held back for half a second",
    strike: async ({ proxy }) => {
      proxy.stall();
      await delay(500);
      proxy.goOn();
    },
  },
  {
    what: "the server is out of reach for a second",
    strike: async ({ proxy }) => {
      await proxy.refuse();
      await delay(1000);
      await proxy.listen();
    },
  },
  { what: "the server is restarted", strike: (stage) => stage.restartServer() },
];

describe.each(restartableVariants())(
  "on the $name server the operator reaches the same state if in every step",
  async (variant) => {
    const outcomes = await undisturbedOutcomes();

    // In parallel on the embedded server, since they mostly wait; ten real servers would take too long to start.
    const each = variant.name === "embedded" ? it.concurrent.each(faults) : it.each(faults);
    each(
      "$what",
      async ({ strike }) => {
        const stage = await LiveStage.open(variant);
        const operator = stage.startOperator();
        try {
          for (const [index, { happen }] of story.entries()) {
            await happen(stage.client);
            await strike(stage);
            await stage.until(outcomes[index] as Record<string, unknown>);
          }
          // Every fault has occurred: a watch may reconnect after the state is as expected.
          while (stage.proxy.pending > 0) await delay(20);
          // Seven watches, a list or two for each interrupted one, fifty writes, and retries.
          expect(operator.requests()).toBeLessThan(500);
        } finally {
          await operator.stop();
          await stage.close();
        }
      },
      180_000,
    );
  },
);

function answers(status: number, count: number, headers: Record<string, string> = {}): Fault[] {
  const body = JSON.stringify(statusOf(status, reasons[status] ?? "Unknown"));
  return Array.from({ length: count }, () => ({ kind: "answer", status, headers, body }));
}

const reasons: Record<number, string> = { 409: "Conflict", 429: "TooManyRequests", 500: "InternalError" };

function statusOf(code: number, reason: string): object {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason };
}
