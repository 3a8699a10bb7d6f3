import { setTimeout as delay } from "node:timers/promises";

const pauseMs = 50;

/** Asks again until the answer is neither undefined nor false, for at most `seconds`. An error counts as no answer. */
export async function eventually<T>(
  seconds: number,
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  let last: unknown;
  for (const deadline = Date.now() + seconds * 1000; ; await delay(pauseMs)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`, { cause: last });
  }
}
