import { describe, expect, it } from "vitest";
import { DirectClient } from "../workloads/direct-client.ts";
import { Stage } from "./stage.ts";
import { outcome, story } from "./story.ts";

/** When the operator dies at a write: before the server has it, or after, without an answer. */
type Moment = "before" | "after";
interface CrashPlan {
  readonly crashesAt: (write: number) => boolean;
  readonly moment: Moment;
}

interface RunResult {
  readonly crashes: number;
  /** Writes in order. */
  readonly writes: readonly string[];
  /** The state after each step. */
  readonly outcomes: readonly Record<string, unknown>[];
}

/** Runs the whole story with an operator that dies at given writes and is restarted at once. */
async function run({ crashesAt, moment }: CrashPlan): Promise<RunResult> {
  const stage = await Stage.open();
  const writes: string[] = [];
  let dead = false;
  const crash = (): never => {
    dead = true;
    throw new Error("the process is gone");
  };
  let begun = 0;
  let crashes = 0;
  const start = () => {
    dead = false;
    const client = new DirectClient(stage.server, {
      beforeWrite: (write) => {
        if (dead) crash();
        if (write.endsWith("events")) return;
        begun++;
        if (moment === "before" && crashesAt(begun)) crash();
      },
      onWrite: (write) => {
        if (write.endsWith("events")) return;
        writes.push(write);
        if (moment === "after" && crashesAt(writes.length)) crash();
      },
    });
    return stage.startOperator(client);
  };
  let operator = start();
  const restart = async (): Promise<boolean> => {
    if (!dead) return false;
    crashes++;
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
  return { crashes, writes, outcomes };
}

const { writes, outcomes } = await run({ crashesAt: () => false, moment: "after" });
const points = writes.map((write, index) => ({ write, number: index + 1 }));

describe.each(["before", "after"] as const)("an operator that dies %s the server has a write", (moment) => {
  it.each(points)("comes to the same end if it is number $number: $write", async ({ number }) => {
    const result = await run({ crashesAt: (write) => write === number, moment });
    expect(result.crashes).toBe(1);
    expectSameEnd(result);
  });
});

describe("an operator that dies after every", () => {
  it("write reaches the same state", async () => {
    const result = await run({ crashesAt: () => true, moment: "after" });
    expectSameEnd(result);
  });

  it("second write, which never arrives, reaches the same state", async () => {
    const result = await run({ crashesAt: (write) => write % 2 === 0, moment: "before" });
    expectSameEnd(result);
  });
});

describe("an operator", () => {
  it("writes in every step what the step needs, and little more (W-4)", () => {
    expect(writes.filter((write) => write.endsWith("profiles"))).toHaveLength(12);
    expect(writes.filter((write) => write.endsWith("machineconfigs"))).toHaveLength(3);
    expect(writes.length).toBeLessThan(60);
  });
});

function expectSameEnd(result: RunResult): void {
  for (const [step, { what }] of story.entries()) expect(result.outcomes[step], what).toEqual(outcomes[step]);
}
