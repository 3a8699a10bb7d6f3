import type { OutgoingHttpHeaders } from "node:http";
import packageJson from "../../../package.json" with { type: "json" };
import { type Clock, pause, systemClock } from "../runtime/clock.ts";
import { ApiError, apiErrorFromStatus, parseRetryAfter } from "./api-error.ts";
import type { RequestOptions } from "./client.ts";
import type { Connection } from "./connect/connection.ts";
import type { HttpResponse, SentRequest } from "./http1/exchange.ts";
import { LinkedAbort } from "./linked-abort.ts";
import { identityHeaders } from "./request-parts.ts";
import type { StreamedResponse } from "./streamed-response.ts";
import { type HttpRequest, Transport } from "./transport.ts";

export interface RequestRecord {
  method: string;
  host: string;
  /** As `rest_client_requests_total` has it: the code, or `<error>` when no answer came. */
  code: string;
}

export interface RequesterOptions {
  maxSockets?: number;
  /** For one try, to the last byte of the answer. Watches have none. */
  timeoutMs?: number;
  /** How often a request is sent again because the server asked to come back later, and the longest it is waited. */
  maxThrottles?: number;
  maxThrottleMs?: number;
  userAgent?: string;
  clock?: Clock;
  onRequest?: (record: RequestRecord) => void;
  /** The server's `Warning` headers. */
  onWarning?: (warning: string) => void;
}

export interface Call extends RequestOptions {
  method: string;
  path: string;
  body?: unknown;
  contentType?: string;
  /** It is waited for all the same, and nothing is returned. */
  ignoreResponse?: boolean;
}

/** Sends requests as one user, again where that is safe, and turns what goes wrong into ApiError. */
export class Requester {
  readonly #connection: Connection;
  readonly #transport: Transport;
  readonly #options: RequesterOptions;
  readonly #clock: Clock;
  /** Of every request. */
  readonly #headers: OutgoingHttpHeaders;

  constructor(
    connection: Connection,
    options: RequesterOptions,
    transport = new Transport(connection.cluster, options),
  ) {
    this.#connection = connection;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#headers = {
      accept: "application/json",
      "user-agent": options.userAgent ?? `attune/${packageJson.version}`,
      ...identityHeaders(connection.impersonate),
    };
    this.#transport = transport;
  }

  /** For another user over the same sockets. */
  for(connection: Connection): Requester {
    return new Requester(connection, this.#options, this.#transport);
  }

  get sockets(): number {
    return this.#transport.sockets;
  }

  close(): void {
    this.#transport.close();
  }

  /** One request to its end: every try has a deadline of its own. */
  async call(call: Call): Promise<unknown> {
    const timeoutMs = call.timeoutMs ?? this.#options.timeoutMs ?? 60_000;
    call.signal?.throwIfAborted();
    for (let throttles = 0; ; throttles++) {
      const abort = new LinkedAbort(call.signal);
      const cancel = this.#clock.after(timeoutMs, abort.abort);
      try {
        const answer = await this.#accepted(call, abort, (exchange) => this.#transport.send(exchange));
        const text = await answer.text();
        return call.ignoreResponse ? undefined : parseBody(text, answer);
      } catch (error) {
        call.signal?.throwIfAborted();
        if (abort.aborted) throw timedOut(call, timeoutMs, error);
        const wait = this.#throttle(error, throttles);
        if (wait === undefined) throw this.asApiError(error, call);
        await pause(this.#clock, wait, call.signal);
        call.signal?.throwIfAborted();
      } finally {
        cancel();
        abort.unlink();
      }
    }
  }

  /** How long the server asked us to wait, as long as we are willing to. A refusal with 429 did nothing, whatever the verb. */
  #throttle(error: unknown, throttles: number): number | undefined {
    const { maxThrottles = 5, maxThrottleMs = 30_000 } = this.#options;
    if (!(error instanceof ApiError) || error.code !== 429 || throttles >= maxThrottles) return undefined;
    return error.retryAfterMs === undefined ? undefined : Math.min(error.retryAfterMs, maxThrottleMs);
  }

  /** A request whose answer goes on, and has no deadline. */
  stream(call: Call, abort: LinkedAbort): Promise<StreamedResponse> {
    return this.#accepted(call, abort, (exchange) => this.#transport.stream(exchange));
  }

  /** Sends until a head with a 2xx comes; everything else is thrown. */
  async #accepted<A extends HttpResponse>(
    call: Call,
    abort: LinkedAbort,
    send: (exchange: HttpRequest) => SentRequest<A>,
  ): Promise<A> {
    for (let refused = false, stale = false; ;) {
      const { authorization, certificate } = await this.#connection.credentials.current(abort);
      abort.throwIfAborted();
      const body = call.body === undefined ? undefined : JSON.stringify(call.body);
      const headers = { ...this.#headers };
      if (authorization !== undefined) headers.authorization = authorization;
      if (body !== undefined) {
        headers["content-type"] = call.contentType ?? "application/json";
        headers["content-length"] = Buffer.byteLength(body);
      }
      const sent = send({ method: call.method, path: call.path, headers, body, certificate, abort });
      let answer: A;
      try {
        answer = await sent.answer;
      } catch (error) {
        this.#record(call, "<error>");
        // The server closed an idle connection while we picked it: nothing was read, and reading again is safe.
        if (stale || call.method !== "GET" || !sent.reused || !isReset(error)) throw error;
        stale = true;
        this.#transport.dropIdle();
        continue;
      }
      const code = answer.status;
      this.#record(call, String(code));
      this.#warn(answer);
      if (code >= 200 && code < 300) return answer;
      const error = await this.#refusal(call, code, answer);
      // Nothing was done under credentials that were not accepted.
      if (code !== 401 || refused || !this.#connection.credentials.reject()) throw error;
      refused = true;
    }
  }

  async #refusal(call: Call, code: number, answer: HttpResponse): Promise<ApiError> {
    const text = await answer.text();
    const retryAfterMs = parseRetryAfter(answer.header("retry-after"), this.#clock.now());
    let status: unknown = text;
    try {
      status = JSON.parse(text);
    } catch {
      // A proxy's page: apiErrorFromStatus quotes its beginning.
    }
    return apiErrorFromStatus(status, { code, retryAfterMs, request: describe(call) });
  }

  #record({ method }: Call, code: string): void {
    this.#options.onRequest?.({ method, host: this.#transport.host, code });
  }

  #warn(answer: HttpResponse): void {
    const { onWarning } = this.#options;
    const header = answer.header("warning");
    if (!onWarning || header === undefined) return;
    for (const warning of parseWarnings(header)) onWarning(warning);
  }

  asApiError(error: unknown, call: Call): unknown {
    if (error instanceof ApiError || !(error instanceof Error)) return error;
    return new ApiError({
      code: 0,
      reason: "Unreachable",
      message: `${describe(call)} at ${this.#transport.host}: ${error.message || String((error as NodeJS.ErrnoException).code)}`,
      request: describe(call),
      cause: error,
    });
  }
}

/** The query may hold selectors only, never secrets, but it is long. */
function describe({ method, path }: Call): string {
  return `${method} ${path.split("?", 1)[0]}`;
}

function timedOut(call: Call, timeoutMs: number, cause: unknown): ApiError {
  const request = describe(call);
  return new ApiError({
    code: 0,
    reason: "RequestTimeout",
    message: `${request}: no answer within ${timeoutMs} ms`,
    request,
    cause,
  });
}

function isReset(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Health endpoints answer in plain text. */
function parseBody(text: string, answer: HttpResponse): unknown {
  if (!(answer.header("content-type") ?? "").includes("json")) return text;
  return text === "" ? undefined : JSON.parse(text);
}

/** `299 - "text"`, several in one header, quotes inside escaped by a backslash. */
function parseWarnings(header: string): string[] {
  const texts: string[] = [];
  for (let at = header.indexOf('"'); at >= 0; at = header.indexOf('"', at + 1)) {
    let text = "";
    for (at++; at < header.length && header[at] !== '"'; at++) {
      if (header[at] === "\\") at++;
      text += header[at] ?? "";
    }
    texts.push(text);
  }
  return texts;
}
