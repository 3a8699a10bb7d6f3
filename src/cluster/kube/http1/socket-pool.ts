import type { Socket } from "node:net";
import { PooledSocket } from "./pooled-socket.ts";
import { Exchange } from "./exchange.ts";

/** The connections to one server: so many at most, opened when needed and kept. Requests that find none wait in line. */
export class SocketPool {
  readonly #open: () => Socket;
  readonly #maxSockets: number;
  readonly #all = new Set<PooledSocket>();
  readonly #idle: PooledSocket[] = [];
  readonly #waiting = new Set<Exchange>();
  #retired = false;

  constructor(open: () => Socket, maxSockets: number) {
    this.#open = open;
    this.#maxSockets = maxSockets;
  }

  get size(): number {
    return this.#all.size;
  }

  send(method: string, request: string | Buffer): Exchange {
    const exchange = new Exchange(method, request, this.#failed);
    this.#waiting.add(exchange);
    this.#serve();
    return exchange;
  }

  dropIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  /** What is under way or waits is still served; nothing is kept after it. */
  retire(): void {
    this.#retired = true;
    this.dropIdle();
  }

  close(): void {
    this.retire();
    for (const exchange of this.#waiting) exchange.fail(new Error("the client was closed"));
    for (const connection of this.#all) connection.destroy();
  }

  readonly free = (connection: PooledSocket): void => {
    this.#idle.push(connection);
    this.#serve();
    if (this.#idle.at(-1) !== connection) return;
    if (this.#retired) this.dropIdle();
    else connection.rest();
  };

  readonly closed = (connection: PooledSocket): void => {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#serve();
  };

  /** In half an exchange a connection is of no use to another. */
  readonly #failed = (exchange: Exchange): void => {
    if (this.#waiting.delete(exchange)) return;
    for (const connection of this.#all) if (connection.carries(exchange)) connection.destroy();
  };

  #serve(): void {
    for (const exchange of this.#waiting) {
      const connection = this.#pick();
      if (!connection) return;
      this.#waiting.delete(exchange);
      connection.start(exchange);
    }
  }

  /** The one used last is the least likely to be closed by the server just now. */
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
