import type { Log } from "../../../cluster/runtime/log/log.ts";
import { StaleWriteError } from "../storage/object-store.ts";

/**
 * A write that nobody waits for. One that was overtaken is no fault: the newer write's commit brings housekeeping here
 * again.
 */
export function inBackground(log: Log, write: () => Promise<unknown>): void {
  const failed = (error: unknown): void => {
    if (!(error instanceof StaleWriteError)) log.error({ error }, "housekeeping could not write");
  };
  try {
    write().catch(failed);
  } catch (error) {
    failed(error);
  }
}
