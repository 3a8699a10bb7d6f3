import { ResponseReader } from "./response-reader.ts";

/** The head of an answer, and its body for who wants it. */
export interface HttpResponse {
  readonly status: number;
  /** Several of one name are joined by commas. */
  header(name: string): string | undefined;
  /** The whole body, as soon as it is there. */
  text(): Promise<string>;
}

/** A request that was sent, or waits to be. */
export interface SentRequest<A extends HttpResponse = HttpResponse> {
  /** Comes with the answer's head. */
  readonly answer: Promise<A>;
  /** Whether it went over a connection that had served another before. */
  readonly reused: boolean;
}

/** One request and what comes of it. It ends once: with the whole answer, or with the first failure. */
export class Exchange implements SentRequest, HttpResponse {
  readonly request: string | Buffer;
  readonly answer: Promise<HttpResponse>;
  reused = false;
  readonly #reader: ResponseReader;
  readonly #onFailure: (exchange: Exchange) => void;
  #failure: Error | undefined;
  #head: { resolve: (answer: HttpResponse) => void; reject: (error: Error) => void } | undefined;
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
