import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Server, Agent, createServer, request as httpsRequest } from "node:https";
import type { AddressInfo, Socket } from "node:net";

export interface FaultProxyOptions {
  /** The proxy's own certificate and key, PEM. */
  cert: string;
  key: string;
  upstream: { url: string; ca: string };
  /** Called with every response of the server. */
  onAnswer?: (request: IncomingMessage, answer: IncomingMessage) => void;
}

export type Traffic = "watch" | "other";

/** What replaces one response, or happens to its body. */
export type Fault =
  | { kind: "answer"; status: number; headers?: Record<string, string>; body: string }
  /** The body is cut off: by a reset, or by a regular end. */
  | { kind: "cut"; afterBytes: number; by: "reset" | "end" };

interface Exchange {
  traffic: Traffic;
  response: ServerResponse;
  answer?: IncomingMessage;
  /** Traffic is dropped in both directions, and neither side is notified. */
  lost: boolean;
  /** Whether the bytes sent so far end with a complete line. */
  betweenLines: boolean;
}

/** A proxy between a client and an API server that terminates TLS on both sides and injects network faults. */
export class FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #agent: Agent;
  readonly #sockets = new Set<Socket>();
  readonly #exchanges = new Set<Exchange>();
  readonly #faults: { traffic: Traffic; fault: Fault }[] = [];
  #server: Server | undefined;
  #port = 0;
  #stalled = false;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: false, ca: options.upstream.ca });
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** The number of open client connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  get watches(): number {
    return [...this.#exchanges].filter(({ traffic, answer, lost }) => traffic === "watch" && answer && !lost).length;
  }

  /** Faults that have not happened yet. */
  get pending(): number {
    return this.#faults.length;
  }

  /** Starts to accept connections, on the same port as before if there was one. */
  async listen(): Promise<void> {
    const { cert, key } = this.#options;
    const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) =>
      this.#handle(request, response),
    );
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
    server.on("tlsClientError", () => {});
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Refuses new connections and resets open ones. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    this.reset();
    await closed;
  }

  async close(): Promise<void> {
    await this.refuse();
    this.#agent.destroy();
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Stalls all open and new connections, without closing any, until resumed. */
  stall(): void {
    this.#stalled = true;
    for (const { answer } of this.#exchanges) answer?.pause();
  }

  goOn(): void {
    this.#stalled = false;
    for (const { answer, lost } of this.#exchanges) if (!lost) answer?.resume();
  }

  /** Drops all traffic of open connections without closing them; new connections work. */
  loseConnections(): void {
    for (const exchange of this.#exchanges) {
      exchange.lost = true;
      exchange.answer?.destroy();
    }
  }

  /** Applies the fault to the next response of that kind. */
  plan(traffic: Traffic, ...faults: Fault[]): void {
    for (const fault of faults) this.#faults.push({ traffic, fault });
  }

  /** Inserts an event into every watch, between two of the server's, and ends the watch. */
  say(event: unknown): void {
    for (const exchange of this.#exchanges) {
      const { traffic, response, answer, betweenLines, lost } = exchange;
      if (traffic !== "watch" || !answer || lost) continue;
      exchange.lost = true;
      response.end(`${betweenLines ? "" : "\n"}${JSON.stringify(event)}\n`);
      answer.destroy();
    }
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const traffic = request.url?.includes("watch=true") ? "watch" : "other";
    const exchange: Exchange = { traffic, response, lost: false, betweenLines: true };
    this.#exchanges.add(exchange);
    const at = this.#faults.findIndex((planned) => planned.traffic === traffic);
    const fault = at < 0 ? undefined : this.#faults.splice(at, 1)[0]?.fault;
    if (fault?.kind === "answer") {
      request.resume();
      response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
      response.end(fault.body);
      this.#exchanges.delete(exchange);
      return;
    }
    const upstream = httpsRequest(`${this.#options.upstream.url}${request.url}`, {
      method: request.method,
      headers: { ...request.headers, host: new URL(this.#options.upstream.url).host },
      agent: this.#agent,
    });
    response.on("close", () => {
      this.#exchanges.delete(exchange);
      upstream.destroy();
    });
    upstream.on("error", () => this.#lose(exchange));
    upstream.on("response", (answer) => {
      this.#options.onAnswer?.(request, answer);
      this.#forward(exchange, answer, fault);
    });
    request.pipe(upstream);
  }

  #forward(exchange: Exchange, answer: IncomingMessage, cut: Extract<Fault, { kind: "cut" }> | undefined): void {
    const { response } = exchange;
    exchange.answer = answer;
    // The proxy frames the body itself: after a cut the client must not wait for the rest.
    const {
      "content-length": _length,
      "transfer-encoding": _encoding,
      connection: _connection,
      ...headers
    } = answer.headers;
    let left = cut?.afterBytes ?? Infinity;
    const start = (): void => {
      if (response.headersSent || exchange.lost) return;
      response.writeHead(answer.statusCode ?? 502, headers);
      response.flushHeaders();
    };
    answer.on("data", (chunk: Buffer) => {
      if (exchange.lost || response.writableEnded) return;
      start();
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk;
      left -= part.length;
      exchange.betweenLines = part.at(-1) === 0x0a;
      response.write(part);
      if (left > 0) return;
      answer.destroy();
      if (cut?.by === "reset") response.socket?.destroy();
      else response.end();
    });
    answer.on("end", () => {
      if (exchange.lost) return;
      start();
      response.end();
    });
    answer.on("error", () => this.#lose(exchange));
    answer.on("aborted", () => this.#lose(exchange));
    if (this.#stalled) answer.pause();
    else start();
  }

  /** The server closed its connection: close the client's too. */
  #lose({ lost, response }: Exchange): void {
    if (!lost && !response.writableEnded) response.socket?.destroy();
  }
}
