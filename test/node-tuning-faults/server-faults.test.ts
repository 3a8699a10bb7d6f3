import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { serverFaults } from "../fault-proxy/server-faults.ts";
import { LiveStage } from "./live-stage.ts";
import { restartableVariants } from "./restartable-server.ts";
import { story } from "./story.ts";
import { undisturbedOutcomes } from "./undisturbed.ts";

describe.each(restartableVariants())(
  "on the $name server the operator reaches the same state if in every step",
  async (variant) => {
    const outcomes = await undisturbedOutcomes();

    // In parallel on the embedded server, since they mostly wait; ten real servers would take too long to start.
    const each = variant.name === "embedded" ? it.concurrent.each(serverFaults) : it.each(serverFaults);
    // In every step, right after its changes.
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
