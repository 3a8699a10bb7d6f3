import { get } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../src/cluster/kube/client.ts";
import { kinds } from "../../src/cluster/kube/kinds.ts";

const DEADLINE_MS = 100_000;
const PAUSE_MS = 50;

interface Waiting {
  readonly ca: string;
  readonly headers: Record<string, string>;
  /** Ends the wait once it is false. */
  readonly alive: () => boolean;
}

/** Requests `url` until the response is 200. */
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

const LONGEST_MS = 50;

/**
 * Pauses between polls, each twice as long as the one before: what is there at once is found at once, and a server in
 * another process is not slowed down by polling.
 */
export function growingPause(): () => Promise<void> {
  let ms = 1;
  return async () => {
    await delay(ms);
    ms = Math.min(ms * 2, LONGEST_MS);
  };
}

/** Waits until every CustomResourceDefinition is established: kube-apiserver takes seconds. */
export async function untilEstablished(client: Client): Promise<void> {
  for (const pause = growingPause(); ; await pause()) {
    const { items } = await client.list(kinds.customResourceDefinition);
    const pending = items.filter(
      ({ status }) => !status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"),
    );
    if (pending.length === 0) return;
  }
}
