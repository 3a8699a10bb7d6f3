import type { IncomingMessage } from "node:http";

/**
 * The bodies of all reviews that are being read or answered, within one budget. API servers send a body at once: when the
 * budget is used up, the connection whose body has been incomplete for longest is closed, so that bodies that never end
 * cannot keep out the others.
 */
export class HeldBodies {
  readonly #maxBytes: number;
  /** Being read, oldest first. */
  readonly #incomplete = new Set<HeldBody>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  open(request: IncomingMessage): HeldBody {
    const body = new HeldBody(request, {
      hold: (count) => this.#hold(count),
      complete: () => this.#incomplete.delete(body),
    });
    this.#incomplete.add(body);
    return body;
  }

  #hold(count: number): void {
    this.#bytes += count;
    for (const oldest of this.#incomplete) {
      if (this.#bytes <= this.#maxBytes) return;
      oldest.drop();
    }
  }
}

interface Holder {
  /** Counts bytes; a negative number releases them. */
  readonly hold: (bytes: number) => void;
  readonly complete: () => void;
}

export class HeldBody {
  readonly #request: IncomingMessage;
  readonly #holder: Holder;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(request: IncomingMessage, holder: Holder) {
    this.#request = request;
    this.#holder = holder;
  }

  /** Undefined if there is more than `limit`. The stream stays open then, since closing it would lose the answer. */
  read(limit: number): Promise<Buffer | undefined> {
    const request = this.#request;
    if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      request.on("data", (chunk: Buffer) => {
        if (this.#bytes + chunk.length > limit) {
          this.close();
          resolve(undefined);
          return;
        }
        this.#chunks.push(chunk);
        this.#bytes += chunk.length;
        this.#holder.hold(chunk.length);
      });
      request.on("end", () => {
        this.#holder.complete();
        resolve(Buffer.concat(this.#chunks));
      });
      request.on("error", reject);
      request.on("close", () => reject(new Error("the connection was closed before the body was complete")));
    });
  }

  /** Closes the connection. */
  drop(): void {
    this.close();
    this.#request.destroy();
  }

  close(): void {
    this.#holder.complete();
    this.#holder.hold(-this.#bytes);
    this.#bytes = 0;
    this.#chunks = [];
  }
}
