import type { IncomingMessage } from "node:http";
import type { BodyBudget, HeldBody } from "../../cluster/runtime/body-budget.ts";
import { GatheredBytes } from "../../cluster/runtime/gathered-bytes.ts";

/** The body of one review. It is held until the review is answered. */
export class ReviewBody implements HeldBody {
  bytes = 0;
  /** API servers are not authenticated: only their addresses tell them from other clients. */
  readonly owners: readonly unknown[];
  readonly #request: IncomingMessage;
  readonly #budget: BodyBudget;
  readonly #gathered = new GatheredBytes();

  constructor(request: IncomingMessage, budget: BodyBudget) {
    this.owners = [request.socket.remoteAddress];
    this.#request = request;
    this.#budget = budget;
  }

  /** Undefined if there is more than `limit`. The stream stays open then, since closing it would lose the answer. */
  read(limit: number): Promise<Buffer | undefined> {
    const request = this.#request;
    if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const onClose = (): void => reject(new Error("the connection was closed before the body was complete"));
      request.on("data", (chunk: Buffer) => {
        if (this.bytes + chunk.length > limit) {
          request.removeAllListeners("data");
          this.close();
          resolve(undefined);
          return;
        }
        this.#gathered.add(chunk);
        this.#budget.add(this, chunk.length);
      });
      request.on("end", () => {
        // Every request closes after its end, and an error costs more than the rest of the reading.
        request.off("close", onClose);
        this.#budget.complete(this);
        resolve(this.#gathered.joined());
      });
      request.on("error", reject);
      request.on("close", onClose);
    });
  }

  /** Closes the connection. */
  readonly refuse = (): void => {
    this.close();
    this.#request.destroy();
  };

  close(): void {
    this.#budget.release(this);
    this.#gathered.clear();
  }
}
