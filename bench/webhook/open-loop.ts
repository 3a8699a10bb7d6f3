import { setTimeout as delay } from "node:timers/promises";
import type { HttpConnection } from "../harness/http-connection.ts";
import { WrongError } from "../harness/load.ts";

/** As many requests as the server leaves waiting when it stops for a moment. */
export const openLoopConnections = 64;

/**
 * Sends a request every `1000 / perSecond` ms, whether or not earlier ones were answered. Returns the milliseconds from when
 * each was due to its response, so that a stop of the server counts for all requests that it delays.
 */
export async function openLoop(
  connections: readonly HttpConnection[],
  requests: readonly Buffer[],
  perSecond: number,
): Promise<number[]> {
  const free = [...connections];
  const due: { request: Buffer; at: number }[] = [];
  const taken: number[] = [];
  const sendAll = async (connection: HttpConnection): Promise<void> => {
    for (let next; (next = due.shift()); taken.push(performance.now() - next.at)) {
      const { status, pieces } = await connection.send(next.request);
      if (status !== 200) throw new WrongError(`review: ${status} ${Buffer.concat(pieces).toString()}`);
    }
    free.push(connection);
  };
  const sending: Promise<void>[] = [];
  const started = performance.now();
  for (let sent = 0; sent < requests.length; await delay(1)) {
    const now = performance.now();
    for (let request; (request = requests[sent]) && started + (sent * 1000) / perSecond <= now; sent++)
      due.push({ request, at: started + (sent * 1000) / perSecond });
    // In turn: servers close connections over which no request comes.
    for (let n = due.length, connection; n > 0 && (connection = free.shift()); n--) sending.push(sendAll(connection));
  }
  await Promise.all(sending);
  return taken;
}

/** The smallest value that is at least as large as this share of the values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
