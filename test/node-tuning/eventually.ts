import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";

/** Longer than any test takes, also on a busy machine: it only ends a test that waits in vain. */
const longestMs = 100_000;

/** Asks again until the answer is neither undefined nor false; 404 counts as undefined. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  withinMs = longestMs,
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ;) {
    const answer = await ask().catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await delay(20);
  }
}

/** Waits until the condition holds. It is named by its source if it never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + longestMs; !(await holds()); await delay(20))
    if (Date.now() > deadline) throw new Error(`never: ${holds.toString()}`);
}

/** Asks again until the answer is 404. */
export async function gone(what: string, ask: () => Promise<unknown>): Promise<void> {
  await eventually(`${what} is gone`, async () => {
    try {
      await ask();
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  });
}
