import { BodyBudget } from "../../cluster/runtime/body-budget.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, pause, systemClock } from "../../cluster/runtime/clock.ts";
import { type Log, noLog } from "../../cluster/runtime/log/log.ts";
import { readThroughStreams } from "../../cluster/runtime/read-through-streams.ts";
import { beyondBounds, maxDepth } from "../../language/object/json-bounds.ts";
import { BadReviewError } from "./handler.ts";
import { ReviewBody } from "./review-body.ts";

export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/** One kind of review. */
export interface Route {
  /** BadReviewError becomes status 400, any other error 500. */
  readonly answer: (body: unknown) => Promise<ReviewAnswer>;
  /** What is read of a body. Default: all of it. */
  readonly shortened?: (text: string) => string;
  /** A larger body is refused with 413. */
  readonly maxBodyBytes: number;
}

export interface ReviewAnswer {
  readonly review: object;
  /** Writes it to the log and counts it. Called when the answer has been sent: no client waits for that. */
  readonly record: () => void;
}

export interface ReviewServerOptions {
  readonly host: string;
  readonly port: number;
  /** By path. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Of all bodies that are being read or answered. Default 64 MiB. */
  readonly maxHeldBytes?: number | undefined;
  /** Reviews answered at the same time; more are refused with 503. */
  readonly maxInFlight?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

const defaultHeldBytes = 64 * 1024 * 1024;
const defaultInFlight = 500;
/** API servers send a body at once, and give up after 10 s. */
const bodyMs = 10_000;
/** API servers open a connection for each review at the same time. */
const maxConnections = 1000;

/**
 * To parse and convert takes some two microseconds a value, and other reviews wait meanwhile. A PerformanceProfile has at most
 * some 200, and a cluster has one for each pool of nodes: a list of a thousand fits.
 */
const bounds = { depth: maxDepth, values: 250_000 };

/** HTTPS server for reviews. Bodies, memory and concurrency are limited; the certificate can change while it serves. */
export class ReviewServer {
  readonly #options: ReviewServerOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #bodies: BodyBudget;
  #inFlight = 0;
  #idle: (() => void) | undefined;

  constructor(options: ReviewServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? noLog;
    this.#bodies = new BodyBudget(options.maxHeldBytes ?? defaultHeldBytes);
    this.#server = createServer({ minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"] }, (request, response) => {
      void this.#handle(request, response);
    });
    // API servers reuse their connections; one that is idle for longer has lost its client.
    readThroughStreams(this.#server);
    this.#server.keepAliveTimeout = 120_000;
    this.#server.headersTimeout = 10_000;
    this.#server.requestTimeout = 30_000;
    this.#server.maxConnections = maxConnections;
    this.#server.on("connection", (socket: Duplex) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("tlsClientError", (error: Error) =>
      this.#log.debug({ error: error.message }, "TLS handshake failed"),
    );
  }

  /** The port in use: with port 0, the one that the system picked. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Bytes of bodies in memory. */
  get heldBytes(): number {
    return this.#bodies.bytes;
  }

  /** Used for new connections. Open connections keep the old certificate. */
  use({ certPem, keyPem }: ServingCertificate): void {
    this.#server.setSecureContext({ cert: certPem, key: keyPem, minVersion: "TLSv1.2" });
  }

  async listen(): Promise<void> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (cause) =>
        reject(new Error(`serve reviews on ${host}:${port}: ${cause.message}`, { cause })),
      );
      this.#server.listen(port, host, resolve);
    });
  }

  /** Accepts no new connections, waits up to `graceMs` for reviews in flight, then closes every connection. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    if (this.#inFlight > 0) {
      const over = new AbortController();
      const finished = new Promise<void>((resolve) => (this.#idle = resolve));
      await Promise.race([finished, pause(this.#clock, graceMs, over.signal)]);
      over.abort();
    }
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight++;
    try {
      const { code, body, record } = await this.#answer(request);
      if (!this.#server.listening) response.setHeader("connection", "close");
      send(response, code, body);
      record?.();
    } catch (error) {
      // Only a connection that broke while its body was read ends here: there is no client left to answer.
      this.#log.debug({ error: String(error) }, "connection closed before the review was read");
      request.destroy();
    } finally {
      if (--this.#inFlight === 0) this.#idle?.();
    }
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { routes, maxInFlight = defaultInFlight } = this.#options;
    const [path = ""] = (request.url ?? "").split("?");
    const route = routes.get(path);
    if (!route) return refuse(request, 404, `nothing is served at ${path.slice(0, 200)}`);
    if (request.method !== "POST") return refuse(request, 405, "reviews must be sent with POST");
    const [type = ""] = (request.headers["content-type"] ?? "").split(";");
    if (type.trim() !== "application/json") return refuse(request, 415, "reviews must be application/json");
    if (this.#inFlight > maxInFlight) return refuse(request, 503, `more than ${maxInFlight} reviews at once`);
    const body = new ReviewBody(request, this.#bodies);
    const stopTimer = this.#clock.after(bodyMs, body.refuse);
    try {
      const bytes = await body.read(route.maxBodyBytes);
      stopTimer();
      if (!bytes) return refuse(request, 413, `the review is larger than ${route.maxBodyBytes} bytes`);
      return await this.#review(route, bytes);
    } finally {
      stopTimer();
      body.close();
    }
  }

  async #review(route: Route, bytes: Buffer): Promise<Answer> {
    const whole = bytes.toString("utf8");
    const text = route.shortened?.(whole) ?? whole;
    // No client is authenticated: JSON.parse could need more memory than the pod has.
    const excess = beyondBounds(text, bounds);
    if (excess !== undefined) return failure(400, `the review cannot be read: ${excess}`);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch (error) {
      return failure(400, `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
    try {
      const { review, record } = await route.answer(body);
      return { code: 200, body: review, record };
    } catch (error) {
      if (error instanceof BadReviewError) return failure(400, error.message);
      this.#log.error({ error }, "review failed");
      return failure(500, "internal error, see the log of the webhook");
    }
  }
}

interface Answer {
  readonly code: number;
  readonly body: object;
  readonly record?: ReviewAnswer["record"];
}

function failure(code: number, message: string): Answer {
  return { code, body: { kind: "Status", apiVersion: "v1", status: "Failure", code, message } };
}

/** Does not wait for the rest of the body, which may be endless. */
function refuse(request: IncomingMessage, code: number, message: string): Answer {
  request.resume();
  return failure(code, message);
}

function send(response: ServerResponse, code: number, body: object): void {
  const text = JSON.stringify(body);
  // The refused body may still arrive, so the connection cannot carry another review.
  const close = code === 413 || code === 503 ? { connection: "close" } : {};
  response.writeHead(code, { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...close });
  // Node.js joins head and text to one write; bytes it would write apart.
  response.end(text);
}
