import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { type Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
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
  /** JSON. Bytes are shared by all answers that have them. */
  readonly body: string | Uint8Array;
  /** When to try again. */
  readonly retryAfterSeconds?: number | undefined;
}

export interface PayloadServerOptions {
  /** `host:port` or `:port`; port 0 picks a free one. */
  readonly address: string;
  readonly answer: (request: PayloadRequest) => Promise<PayloadAnswer>;
  /** Requests answered at the same time; more are refused with 503. Default 64. */
  readonly maxInFlight?: number | undefined;
  /** How long a connection may take for its one request and the answer. Default 2 minutes. */
  readonly connectionMs?: number | undefined;
  /** Called when it listens, with its port. */
  readonly onListening?: ((port: number) => void) | undefined;
  readonly log: Log;
}

/** The header with the client's key. */
const keyHeader = "attune-first-boot-key";

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
      // Also one that reads its answer byte by byte.
      const end = setTimeout(() => socket.destroy(), options.connectionMs ?? 120_000);
      socket.on("close", () => {
        clearTimeout(end);
        this.#sockets.delete(socket);
      });
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
    // The answer to HEAD has no body: it would use up the token for nothing.
    if (request.method !== "GET") return refused(405, "only GET is served");
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

const pieceBytes = 64 * 1024;

/** Piece by piece: what a client does not read is not kept for it. */
async function send(response: ServerResponse, { code, body, retryAfterSeconds }: PayloadAnswer): Promise<void> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", retryAfterSeconds);
  // No body of a request is read, so the connection cannot carry another one.
  const headers = { "cache-control": "no-store", connection: "close" };
  const content = { "content-type": "application/json", "content-length": bytes.length };
  response.writeHead(code, code === 204 ? headers : { ...headers, ...content });
  try {
    await pipeline(Readable.from(piecesOf(bytes)), response);
  } catch {
    response.destroy(); // The client has gone, and may ask again.
  }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
}

/** As the API server says it. */
export function refused(code: number, message: string): PayloadAnswer {
  return { code, body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, message }) };
}
