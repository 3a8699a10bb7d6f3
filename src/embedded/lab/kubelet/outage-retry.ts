import { isConflict, isTimeout, isUnreachable } from "../../../cluster/kube/api-error.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Result } from "../../../cluster/runtime/controller/controller.ts";

/** Tries again what a server that is away could not do. It is told of once, however many nodes and pods notice. */
export class Patience {
  readonly #log: Log;
  #away = false;

  constructor(log: Log) {
    this.#log = log;
  }

  async try(work: () => Promise<Result | undefined>): Promise<Result | undefined> {
    try {
      const result = await work();
      if (this.#away) this.#log.info({}, "the server is back");
      this.#away = false;
      return result;
    } catch (error) {
      // Somebody else was faster; what they wrote is on its way to us.
      if (isConflict(error)) return { requeue: true };
      if (!isUnreachable(error) && !isTimeout(error)) throw error;
      if (!this.#away) this.#log.warn({ error }, "the server is away, will try again");
      this.#away = true;
      return { requeue: true };
    }
  }
}
