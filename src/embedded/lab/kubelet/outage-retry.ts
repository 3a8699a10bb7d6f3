import { isConflict, isTimeout, isUnreachable } from "../../../cluster/kube/api-error.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Result } from "../../../cluster/runtime/controller/controller.ts";

/** Requeues work that failed because the API server is unreachable. An outage is logged once, not by every node and pod. */
export class OutageRetry {
  readonly #log: Log;
  #isOutage = false;

  constructor(log: Log) {
    this.#log = log;
  }

  async run(work: () => Promise<Result | undefined>): Promise<Result | undefined> {
    try {
      const result = await work();
      if (this.#isOutage) this.#log.info({}, "API server is reachable again");
      this.#isOutage = false;
      return result;
    } catch (error) {
      // Another client wrote first; the watch will deliver its version.
      if (isConflict(error)) return { requeue: true };
      if (!isUnreachable(error) && !isTimeout(error)) throw error;
      if (!this.#isOutage) this.#log.warn({ error }, "API server is unreachable, will retry");
      this.#isOutage = true;
      return { requeue: true };
    }
  }
}
