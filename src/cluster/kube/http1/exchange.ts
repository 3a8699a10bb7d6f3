import type { Answer, Sent } from "./answer.ts";
import { ResponseReader } from "./response-reader.ts";

/** One request and what comes of it. It ends once: with the whole answer, or with the first failure. */
export class Exchange implements Sent, Answer {
  readonly request: string | Buffer;
  readonly answer: Promise<Answer>;
  reused = false;
  readonly #reader: ResponseReader;
  readonly #onFailure: (exchange: Exchange) => void;
  #failure: Error | undefined;
  #head: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  #body: { resolve: (text: string) => void; reject: (error: unknown) => void } | undefined;

  constructor(method: string, request: string | Buffer, onFailure: (exchange: Exchange) => void) {
    this.request = request;
    this.#reader = new ResponseReader(method);
    this.#onFailure = onFailure;
    this.answer = new Promise((resolve, reject) => (this.#head = { resolve, reject }));
  }

  get status(): number {
    return this.#reader.status;
  }

  header(name: string): string | undefined {
    return this.#reader.headers.get(name);
  }

  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#body = { resolve, reject };
      if (this.#reader.done) this.#finish();
    });
  }

  get done(): boolean {
    return this.#reader.done;
  }

  /** Whether its connection can serve another. */
  get keepAlive(): boolean {
    return this.#reader.done && this.#reader.keepAlive;
  }

  push(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      return this.fail(error as Error);
    }
    this.#advance();
  }

  /** The server says no more. */
  end(): void {
    this.#reader.end();
    this.#advance();
    this.fail(reset(this.#head ? "socket hang up" : "the connection was closed within the answer"));
  }

  /** Does nothing to what has ended. */
  fail(error: Error): void {
    if (this.#failure || this.#reader.done) return;
    this.#failure = error;
    this.#head?.reject(error);
    this.#body?.reject(error);
    this.#onFailure(this);
  }

  #advance(): void {
    if (this.#head && this.#reader.status > 0) {
      this.#head.resolve(this);
      this.#head = undefined;
    }
    if (this.#reader.done) this.#finish();
  }

  #finish(): void {
    const body = this.#body;
    this.#body = undefined;
    if (!body) return;
    try {
      body.resolve(this.#reader.text());
    } catch (error) {
      // More than a string can hold.
      body.reject(error);
    }
  }
}

/** As Node names it: callers tell by the code that nothing was answered. */
function reset(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
