import { Stage } from "./stage.ts";
import { outcome, story } from "./story.ts";

/** The state after each step of the story without any fault. */
export async function undisturbedOutcomes(): Promise<Record<string, unknown>[]> {
  const stage = await Stage.open();
  const operator = stage.startOperator(stage.client);
  const outcomes: Record<string, unknown>[] = [];
  for (const { happen } of story) {
    await happen(stage.client);
    await stage.settle();
    outcomes.push(await outcome(stage.client));
  }
  await operator.stop();
  stage.close();
  return outcomes;
}
