import type { OutgoingHttpHeaders } from "node:http";
import packageJson from "../../../package.json" with { type: "json" };
import { get, isObject } from "../../language/object/json.ts";
import { type Clock, pause, systemClock } from "../runtime/clock.ts";
import { ApiError, apiErrorFromStatus, parseRetryAfter } from "./api-error.ts";
import type { RequestOptions } from "./client.ts";
import type { Connection } from "./connect/connection.ts";
import type { HttpResponse, SentRequest } from "../http1/exchange.ts";
import { LinkedAbort } from "./linked-abort.ts";
import { identityHeaders } from "./request-parts.ts";
import type { StreamedResponse } from "./streamed-response.ts";
import { type HttpRequest, Transport } from "./transport.ts";

export interface RequestRecord {
  method: string;
  host: string;
  /** As in `rest_client_requests_total`: the status code, or `<error>` when no response came. */
  code: string;
}

export interface RequesterOptions {
  maxSockets?: number | undefined;
  /** Bytes of a response that is read as a whole, where no proxy is in between. Default: as many as the server sends. */
  maxBody?: number | undefined;
  /** For one attempt, to the last byte of the response. Default 60 s. Watches have none. */
  timeoutMs?: number | undefined;
  /** How often a request is retried after 429 with `Retry-After` (default 5), and the longest wait (default 30 s). */
  maxThrottles?: number | undefined;
  maxThrottleMs?: number | undefined;
  userAgent?: string | undefined;
  clock?: Clock | undefined;
  onRequest?: ((record: RequestRecord) => void) | undefined;
  /** Called for each `Warning` header of the server. */
  onWarning?: ((warning: string) => void) | undefined;
}

export interface Call extends RequestOptions {
  method: string;
  path: string;
  body?: unknown;
  contentType?: string | undefined;
  /** More headers. */
  headers?: OutgoingHttpHeaders | undefined;
  /** Wait for the response, but return nothing. */
  ignoreResponse?: boolean | undefined;
  /** The response is an object or a list of them. */
  isTyped?: boolean | undefined;
}

/** Sends requests as one user, retries where that is safe, and turns failures into ApiError. */
export class Requester {
  readonly #connection: Connection;
  readonly #transport: Transport;
  readonly #options: RequesterOptions;
  readonly #clock: Clock;
  /** Headers of every request. */
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

  /** A requester for another user over the same sockets. */
  for(connection: Connection): Requester {
    return new Requester(connection, this.#options, this.#transport);
  }

  get sockets(): number {
    return this.#transport.sockets;
  }

  close(): void {
    this.#transport.close();
  }

  /** Sends one request and reads the whole response. Every attempt has its own deadline. */
  async call(call: Call): Promise<unknown> {
    const timeoutMs = call.timeoutMs ?? this.#options.timeoutMs ?? 60_000;
    call.signal?.throwIfAborted();
    for (let throttles = 0; ; throttles++) {
      const abort = new LinkedAbort(call.signal);
      const cancel = this.#clock.after(timeoutMs, abort.abort);
      try {
        const response = await this.#accepted(call, abort, (request) => this.#transport.send(request));
        const text = await response.text();
        return call.ignoreResponse ? undefined : this.#checked(parseBody(text, response), call);
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

  /** A proxy that wants a login first, and any other server, may answer 200 with anything. */
  #checked(value: unknown, call: Call): unknown {
    if (!call.isTyped || (isObject(value) && typeof get(value, "kind") === "string")) return value;
    const request = describe(call);
    const message = `the server at ${this.#transport.host} is no Kubernetes API server: it answered ${request} with something else than an object; check the cluster of the kubeconfig`;
    throw new ApiError({ code: 0, reason: "NotKubernetes", message, request });
  }

  /** How long to wait before a retry. A server that responds with 429 did not process the request, so every verb is retried. */
  #throttle(error: unknown, throttles: number): number | undefined {
    const { maxThrottles = 5, maxThrottleMs = 30_000 } = this.#options;
    if (!(error instanceof ApiError) || error.code !== 429 || throttles >= maxThrottles) return undefined;
    return error.retryAfterMs === undefined ? undefined : Math.min(error.retryAfterMs, maxThrottleMs);
  }

  /** Sends a request whose response goes on and has no deadline. */
  stream(call: Call, abort: LinkedAbort): Promise<StreamedResponse> {
    return this.#accepted(call, abort, (request) => this.#transport.stream(request));
  }

  /** Returns a response with a 2xx status, or 101 where an upgrade was asked for; throws everything else. */
  async #accepted<R extends HttpResponse>(
    call: Call,
    abort: LinkedAbort,
    send: (request: HttpRequest) => SentRequest<R>,
  ): Promise<R> {
    for (let refused = false, stale = false; ;) {
      const { authorization, certificate } = await this.#connection.credentials.current(abort);
      abort.throwIfAborted();
      const body = call.body === undefined ? undefined : JSON.stringify(call.body);
      const headers = { ...this.#headers, ...call.headers };
      if (authorization !== undefined) headers.authorization = authorization;
      if (body !== undefined) {
        headers["content-type"] = call.contentType ?? "application/json";
        headers["content-length"] = Buffer.byteLength(body);
      }
      const sent = send({ method: call.method, path: call.path, headers, body, certificate, abort });
      let response: R;
      try {
        response = await sent.response;
      } catch (error) {
        this.#record(call, "<error>");
        // The server closed an idle connection just as we used it. A GET is safe to repeat.
        if (stale || call.method !== "GET" || !sent.reused || !isReset(error)) throw error;
        stale = true;
        this.#transport.dropIdle();
        continue;
      }
      const code = response.status;
      this.#record(call, String(code));
      this.#warn(response);
      if ((code >= 200 && code < 300) || code === 101) return response;
      const error = await this.#refusal(call, code, response);
      // A server that responds with 401 did not process the request: retry once with new credentials.
      if (code !== 401 || refused || !this.#connection.credentials.reject()) throw error;
      refused = true;
    }
  }

  async #refusal(call: Call, code: number, response: HttpResponse): Promise<ApiError> {
    const text = await response.text();
    const retryAfterMs = parseRetryAfter(response.header("retry-after"), this.#clock.now());
    let status: unknown = text;
    try {
      status = JSON.parse(text);
    } catch {
      // Not a Status, for example a proxy's page: apiErrorFromStatus quotes its beginning.
    }
    return apiErrorFromStatus(status, { code, retryAfterMs, request: describe(call) });
  }

  #record({ method }: Call, code: string): void {
    this.#options.onRequest?.({ method, host: this.#transport.host, code });
  }

  #warn(response: HttpResponse): void {
    const { onWarning } = this.#options;
    const header = response.header("warning");
    if (!onWarning || header === undefined) return;
    for (const warning of parseWarnings(header)) onWarning(warning);
  }

  asApiError(error: unknown, call: Call): unknown {
    if (error instanceof ApiError || !(error instanceof Error)) return error;
    return new ApiError({
      code: 0,
      reason: "Unreachable",
      message: `${describe(call)} at ${this.#transport.host}: ${connectionText(error)}`,
      request: describe(call),
      cause: error,
    });
  }
}

/** Without the address, which the message has already. */
function connectionText({ message, code }: NodeJS.ErrnoException): string {
  return message.startsWith("connect ECONNREFUSED") ? "connection refused (ECONNREFUSED)" : message || String(code);
}

/** Without the query: it holds no secrets, but it is long. */
function describe({ method, path }: Call): string {
  return `${method} ${path.split("?", 1)[0]}`;
}

function timedOut(call: Call, timeoutMs: number, cause: unknown): ApiError {
  const request = describe(call);
  return new ApiError({
    code: 0,
    reason: "RequestTimeout",
    message: `${request}: no response within ${timeoutMs} ms`,
    request,
    cause,
  });
}

function isReset(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Health endpoints respond with plain text. */
function parseBody(text: string, response: HttpResponse): unknown {
  if (!(response.header("content-type") ?? "").includes("json")) return text;
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
