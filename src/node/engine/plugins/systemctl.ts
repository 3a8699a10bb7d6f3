import type { Action } from "../action.ts";

/**
 * systemctl gives up by itself: on a reload of systemd after 180 s, and on a service after the time of its unit, by default 90 s
 * to stop and 90 s to start. A shorter limit fails on slow machines, while systemd goes on with the job.
 */
export const systemctlTimeoutMs = 300_000;

export function systemctl(...words: readonly string[]): Action & { readonly type: "run" } {
  return { type: "run", argv: ["systemctl", ...words], timeoutMs: systemctlTimeoutMs };
}
