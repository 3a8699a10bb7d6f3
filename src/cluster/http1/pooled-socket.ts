import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Exchange } from "./exchange.ts";

interface Owner {
  /** The socket can serve another request. */
  free(socket: PooledSocket): void;
  closed(socket: PooledSocket): void;
}

/** One socket with one request on it at a time. */
export class PooledSocket {
  readonly #socket: Socket;
  readonly #owner: Owner;
  #exchange: Exchange | undefined;
  /** Nothing is sent before the TLS handshake has verified the server. */
  #ready = false;
  #used = false;

  constructor(socket: Socket, owner: Owner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.setNoDelay(true);
    // So that the kernel detects peers that are gone.
    socket.setKeepAlive(true, 30_000);
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => {
      this.#ready = true;
      this.#write();
    });
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("error", (error) => this.#exchange?.fail(error));
    socket.on("end", () => {
      this.#exchange?.end();
      socket.destroy();
    });
    socket.on("close", () => {
      this.#exchange?.end();
      this.#owner.closed(this);
    });
  }

  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  start(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.reused = this.#used;
    if (this.#used) this.#socket.ref();
    this.#used = true;
    if (this.#ready) this.#write();
  }

  carries(exchange: Exchange): boolean {
    return this.#exchange === exchange;
  }

  /** An idle socket does not keep the process alive. */
  unref(): void {
    this.#socket.unref();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #write(): void {
    if (this.#exchange) this.#socket.write(this.#exchange.request);
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange;
    // Bytes without a request, for example 408 from a server that closes an idle connection.
    if (!exchange) return this.destroy();
    exchange.push(bytes);
    if (!exchange.done) return;
    this.#exchange = undefined;
    // A server that responded before it read the whole request could read the rest as the next request.
    if (exchange.keepAlive && this.#socket.writableLength === 0 && this.usable) this.#owner.free(this);
    else this.destroy();
  }
}
