import { describe, expect, it } from "vitest";
import { DirectClient } from "../workloads/direct-client.ts";
import { Stage } from "./stage.ts";
import { outcome, story } from "./story.ts";

/** When the operator dies at a write: before the server has it, or after, without an answer. */
type Moment = "before" | "after";
interface Misfortune {
  readonly strikes: (write: number) => boolean;
  readonly moment: Moment;
}

interface Told {
  readonly deaths: number;
  /** Writes in order. */
  readonly writes: readonly string[];
  /** The state after each step. */
  readonly outcomes: readonly Record<string, unknown>[];
}

/** Runs the whole story with an operator that dies at given writes and is restarted at once. */
async function tell({ strikes, moment }: Misfortune): Promise<Told> {
  const stage = await Stage.open();
  const writes: string[] = [];
  let dead = false;
  const strike = (): never => {
    dead = true;
    throw new Error("the process is gone");
  };
  let begun = 0;
  let deaths = 0;
  const start = () => {
    dead = false;
    const client = new DirectClient(stage.server, {
      beforeWrite: (write) => {
        if (dead) strike();
        if (write.endsWith("events")) return;
        begun++;
        if (moment === "before" && strikes(begun)) strike();
      },
      onWrite: (write) => {
        if (write.endsWith("events")) return;
        writes.push(write);
        if (moment === "after" && strikes(writes.length)) strike();
      },
    });
    return stage.startOperator(client);
  };
  let operator = start();
  const restart = async (): Promise<boolean> => {
    if (!dead) return false;
    deaths++;
    await operator.stop();
    operator = start();
    return true;
  };
  const outcomes: Record<string, unknown>[] = [];
  for (const { happen } of story) {
    await happen(stage.client);
    await stage.settle(restart);
    outcomes.push(await outcome(stage.client));
  }
  await operator.stop();
  stage.close();
  return { deaths, writes, outcomes };
}

const { writes, outcomes } = await tell({ strikes: () => false, moment: "after" });
const points = writes.map((write, index) => ({ write, number: index + 1 }));

describe.each(["before", "after"] as const)("an operator that dies %s the server has a write", (moment) => {
  it.each(points)("comes to the same end if it is number $number: $write", async ({ number }) => {
    const told = await tell({ strikes: (write) => write === number, moment });
    expect(told.deaths).toBe(1);
    expectSameEnd(told);
  });
});

describe("an operator that dies after every", () => {
  it("write reaches the same state", async () => {
    const told = await tell({ strikes: () => true, moment: "after" });
    expectSameEnd(told);
  });

  it("second write, which never arrives, reaches the same state", async () => {
    const told = await tell({ strikes: (write) => write % 2 === 0, moment: "before" });
    expectSameEnd(told);
  });
});

describe("an operator", () => {
  it("writes in every step what the step needs, and little more", () => {
    expect(writes.filter((write) => write.endsWith("profiles"))).toHaveLength(12);
    expect(writes.filter((write) => write.endsWith("machineconfigs"))).toHaveLength(3);
    expect(writes.length).toBeLessThan(60);
  });
});

function expectSameEnd(told: Told): void {
  for (const [step, { what }] of story.entries()) expect(told.outcomes[step], what).toEqual(outcomes[step]);
}
