import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { whenAborted } from "../../../cluster/runtime/clock.ts";
import type { Runnable } from "../../../cluster/runtime/controller/runnable-group.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import { parseAddress } from "../../../cluster/runtime/metrics/http-answer.ts";

export interface PayloadRequest {
  readonly pool: string;
  /** The Accept header. */
  readonly accept: string;
  /** Bearer token; "" where there is none. */
  readonly token: string;
  /** Secret of the client, by which it is known again. */
  readonly key: string | undefined;
  /** Address of the client. */
  readonly from: string;
}

export interface PayloadAnswer {
  readonly code: number;
  /** JSON. */
  readonly body: string;
  /** When to try again. */
  readonly retryAfterSeconds?: number | undefined;
}

export interface PayloadServerOptions {
  /** `host:port` or `:port`; port 0 picks a free one. */
  readonly address: string;
  readonly answer: (request: PayloadRequest) => Promise<PayloadAnswer>;
  /** Requests answered at the same time; more are refused with 503. Default 64. */
  readonly maxInFlight?: number | undefined;
  /** Called when it listens, with its port. */
  readonly onListening?: ((port: number) => void) | undefined;
  readonly log: Log;
}

/** The header with the client's key. */
export const keyHeader = "attune-first-boot-key";

/** HTTPS for machines that are no nodes yet: anything may be sent here. Until it has a certificate, every handshake fails. */
export class PayloadServer implements Runnable {
  readonly name = "first boot";
  readonly #options: PayloadServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  #inFlight = 0;

  constructor(options: PayloadServerOptions) {
    this.#options = options;
    const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 5000 };
    this.#server = createServer(
      { minVersion: "TLSv1.2", handshakeTimeout: 10_000, ...limits },
      (request, response) => void this.#answer(request).then((answer) => send(response, answer)),
    );
    this.#server.maxConnections = 1000;
    this.#server.on("connection", (socket: Duplex) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("tlsClientError", (error: Error) => options.log.debug({ error: error.message }, "TLS handshake"));
  }

  /** For new connections. */
  use(certificate: { readonly cert: string; readonly key: string }): void {
    this.#server.setSecureContext({ ...certificate, minVersion: "TLSv1.2" });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { address, log } = this.#options;
    const { host, port } = parseAddress(address, "serve first boots");
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (cause) =>
        reject(new Error(`serve first boots on ${address}: ${cause.message}`, { cause })),
      );
      this.#server.listen(port, host, resolve);
    });
    const { port: actual } = this.#server.address() as AddressInfo;
    log.info({ port: actual }, "serve first boots");
    this.#options.onListening?.(actual);
    await whenAborted(signal);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(request: IncomingMessage): Promise<PayloadAnswer> {
    const { answer, maxInFlight = 64, log } = this.#options;
    const pool = /^\/config\/([a-z0-9][a-z0-9.-]{0,252})$/.exec(request.url ?? "")?.[1];
    if (request.method !== "GET" && request.method !== "HEAD") return refused(405, "only GET is served");
    if (pool === undefined) return refused(404, "nothing is served here: ask for /config/POOL");
    if (this.#inFlight >= maxInFlight) return { ...refused(503, "too many requests at once"), retryAfterSeconds: 1 };
    this.#inFlight++;
    try {
      const { authorization = "", accept = "", [keyHeader]: key } = request.headers;
      const [, token = ""] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
      const from = request.socket.remoteAddress ?? "";
      return await answer({ pool, accept, token, key: typeof key === "string" ? key : undefined, from });
    } catch (error) {
      log.error({ error }, "answer a first boot");
      return { ...refused(500, "internal error, see the log of the operator"), retryAfterSeconds: 5 };
    } finally {
      this.#inFlight--;
    }
  }
}

function send(response: ServerResponse, { code, body, retryAfterSeconds }: PayloadAnswer): void {
  const bytes = Buffer.from(body);
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", retryAfterSeconds);
  // No body of a request is read, so the connection cannot carry another one.
  const headers = { "cache-control": "no-store", connection: "close" };
  const content = { "content-type": "application/json", "content-length": bytes.length };
  response.writeHead(code, code === 204 ? headers : { ...headers, ...content });
  response.end(bytes);
}

/** As the API server says it. */
export function refused(code: number, message: string): PayloadAnswer {
  return { code, body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, message }) };
}
