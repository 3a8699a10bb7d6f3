import { get } from "node:https";
import { setTimeout as delay } from "node:timers/promises";

const DEADLINE_MS = 100_000;
const PAUSE_MS = 50;

interface Waiting {
  readonly ca: string;
  readonly headers: Record<string, string>;
  /** Nothing to wait for once this is false. */
  readonly alive: () => boolean;
}

/** Asks for `url` until it is answered with 200. */
export async function until(url: string, { ca, headers, alive }: Waiting): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while ((await statusOf(url, ca, headers)) !== 200) {
    if (!alive()) throw new Error(`${url}: the server ended`);
    if (Date.now() > deadline) throw new Error(`${url}: not ready after ${DEADLINE_MS / 1000} s`);
    await delay(PAUSE_MS);
  }
}

function statusOf(url: string, ca: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    get(url, { ca, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on("error", () => resolve(0));
  });
}
