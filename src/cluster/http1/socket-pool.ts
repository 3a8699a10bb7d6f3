import type { Socket } from "node:net";
import { PooledSocket } from "./pooled-socket.ts";
import { Exchange } from "./exchange.ts";

/** Keeps up to `maxSockets` sockets to one server. Opens them on demand; a request without a free socket waits in line. */
export class SocketPool {
  readonly #open: () => Socket;
  readonly #maxSockets: number;
  readonly #maxBody: number | undefined;
  readonly #all = new Set<PooledSocket>();
  readonly #idle: PooledSocket[] = [];
  readonly #waiting = new Set<Exchange>();
  #retired = false;

  /** `maxBody`: bytes of the body of a response. */
  constructor(open: () => Socket, maxSockets: number, maxBody?: number) {
    this.#open = open;
    this.#maxSockets = maxSockets;
    this.#maxBody = maxBody;
  }

  get size(): number {
    return this.#all.size;
  }

  send(method: string, request: string | Buffer): Exchange {
    const exchange = new Exchange(method, request, { onFailure: this.#failed, maxBody: this.#maxBody });
    this.#waiting.add(exchange);
    this.#serve();
    return exchange;
  }

  dropIdle(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy();
  }

  /** Serves the running and the waiting requests, then closes each socket instead of keeping it. */
  retire(): void {
    this.#retired = true;
    this.dropIdle();
  }

  close(): void {
    this.retire();
    for (const exchange of this.#waiting) exchange.fail(new Error("the client was closed"));
    for (const socket of this.#all) socket.destroy();
  }

  readonly free = (socket: PooledSocket): void => {
    this.#idle.push(socket);
    this.#serve();
    if (this.#idle.at(-1) !== socket) return;
    if (this.#retired) this.dropIdle();
    else socket.unref();
  };

  readonly closed = (socket: PooledSocket): void => {
    this.#all.delete(socket);
    const at = this.#idle.indexOf(socket);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#serve();
  };

  /** A socket in the middle of an exchange cannot serve another request. */
  readonly #failed = (exchange: Exchange): void => {
    if (this.#waiting.delete(exchange)) return;
    for (const socket of this.#all) if (socket.carries(exchange)) socket.destroy();
  };

  #serve(): void {
    for (const exchange of this.#waiting) {
      const socket = this.#pick();
      if (!socket) return;
      this.#waiting.delete(exchange);
      socket.start(exchange);
    }
  }

  /** The socket used last is the least likely to be closed by the server. */
  #pick(): PooledSocket | undefined {
    for (let known = this.#idle.pop(); known; known = this.#idle.pop()) {
      if (known.usable) return known;
      known.destroy();
    }
    if (this.#all.size >= this.#maxSockets) return undefined;
    const fresh = new PooledSocket(this.#open(), this);
    this.#all.add(fresh);
    return fresh;
  }
}
