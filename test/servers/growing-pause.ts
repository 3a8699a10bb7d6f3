import { setTimeout as delay } from "node:timers/promises";

const LONGEST_MS = 50;

/**
 * For those who look until they find: each pause is twice as long as the one before. What is there at once is found at
 * once, and a server in a process of its own is left the time to get there.
 */
export function growingPause(): () => Promise<void> {
  let ms = 1;
  return async () => {
    await delay(ms);
    ms = Math.min(ms * 2, LONGEST_MS);
  };
}
