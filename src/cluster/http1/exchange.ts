import { ResponseReader } from "./response-reader.ts";

/** The head of a response, and its body on demand. */
export interface HttpResponse {
  readonly status: number;
  /** Several headers of one name are joined by commas. */
  header(name: string): string | undefined;
  /** The whole body, once it is complete. */
  text(): Promise<string>;
}

/** A request that was sent, or that waits for a connection. */
export interface SentRequest<R extends HttpResponse = HttpResponse> {
  /** Resolves with the head of the response. */
  readonly response: Promise<R>;
  /** Whether it was sent over a connection that had served another request before. */
  readonly reused: boolean;
}

/** One request and its response. It ends once: with the whole response, or with the first failure. */
export class Exchange implements SentRequest, HttpResponse {
  readonly request: string | Buffer;
  readonly response: Promise<HttpResponse>;
  reused = false;
  readonly #reader: ResponseReader;
  readonly #onFailure: (exchange: Exchange) => void;
  #failure: Error | undefined;
  #head: { resolve: (response: HttpResponse) => void; reject: (error: Error) => void } | undefined;
  #body: { resolve: (text: string) => void; reject: (error: unknown) => void } | undefined;

  constructor(
    method: string,
    request: string | Buffer,
    { onFailure, maxBody }: { onFailure: (exchange: Exchange) => void; maxBody?: number | undefined },
  ) {
    this.request = request;
    this.#reader = new ResponseReader(method, maxBody);
    this.#onFailure = onFailure;
    this.response = new Promise((resolve, reject) => (this.#head = { resolve, reject }));
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

  /** Whether its socket can serve another request. */
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

  /** The server closed the connection. */
  end(): void {
    this.#reader.end();
    this.#advance();
    this.fail(reset(this.#head ? "socket hang up" : "the connection was closed before the response was complete"));
  }

  /** Does nothing after the exchange has ended. */
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
      // The body is longer than the longest string.
      body.reject(error);
    }
  }
}

/** Node's code for a closed connection: the requester recognizes it. */
function reset(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}
