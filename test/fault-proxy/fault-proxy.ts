import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Server, Agent, createServer, request as httpsRequest } from "node:https";
import type { AddressInfo, Socket } from "node:net";

export interface FaultProxyOptions {
  /** The proxy's own identity, PEM. */
  cert: string;
  key: string;
  upstream: { url: string; ca: string };
  /** Called with every answer of the server. */
  onAnswer?: (request: IncomingMessage, answer: IncomingMessage) => void;
}

export type Traffic = "watch" | "other";

/** Something that happens to one answer instead of it, or to its body. */
export type Fault =
  | { kind: "answer"; status: number; headers?: Record<string, string>; body: string }
  /** The body breaks off: by a reset, or as if it had come to its end. */
  | { kind: "cut"; afterBytes: number; by: "reset" | "end" };

interface Exchange {
  traffic: Traffic;
  response: ServerResponse;
  answer?: IncomingMessage;
  /** Neither side hears of the other again, and nobody is told. */
  lost: boolean;
  /** Whether what went out so far ends with a whole line. */
  betweenLines: boolean;
}

/** Stands between a client and an API server, ends TLS on both sides, and does to their traffic what networks do. */
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

  /** Connections of clients that are open. */
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

  /** Begins to accept; on the same port as before, if there was one. */
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

  /** Refuses connections, and resets those there are. */
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

  /** Holds everything back that is open or comes, without closing anything, until told to go on. */
  stall(): void {
    this.#stalled = true;
    for (const { answer } of this.#exchanges) answer?.pause();
  }

  goOn(): void {
    this.#stalled = false;
    for (const { answer, lost } of this.#exchanges) if (!lost) answer?.resume();
  }

  /** What is open now is dead and does not know; what comes is not concerned. */
  loseConnections(): void {
    for (const exchange of this.#exchanges) {
      exchange.lost = true;
      exchange.answer?.destroy();
    }
  }

  /** Happens to the next answer of that kind of traffic. */
  plan(traffic: Traffic, ...faults: Fault[]): void {
    for (const fault of faults) this.#faults.push({ traffic, fault });
  }

  /** Slips an event into every watch, between two of the server's, and ends the watch. */
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
    // Length and framing are the proxy's own: a body that is cut must not leave the client waiting for its rest.
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

  /** The server is gone: as far as the client can tell, so is the connection. */
  #lose({ lost, response }: Exchange): void {
    if (!lost && !response.writableEnded) response.socket?.destroy();
  }
}
