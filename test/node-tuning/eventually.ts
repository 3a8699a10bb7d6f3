import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "../../src/cluster/kube/api-error.ts";

/** Far longer than anything takes here. */
const patienceMs = 30_000;

/** Asks until the answer is something, or is true. What is not there, or not served yet, is asked for again. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  for (const deadline = Date.now() + patienceMs; ;) {
    const answer = await ask().catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await delay(20);
  }
}

/** Asks until it is not there any more. */
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
