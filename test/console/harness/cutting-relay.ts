import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A connection to the console that breaks when a test says so. */
export class CuttingRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target = 0;
  #refuses = false;
  /** What streams may still send before they are cut. */
  #allowance = Number.POSITIVE_INFINITY;
  #onCut = (): void => {};

  private constructor() {
    this.#server = createServer((socket) => this.#join(socket));
  }

  static async start(): Promise<CuttingRelay> {
    const relay = new CuttingRelay();
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  /** As browsers see it. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Where new connections go. */
  leadTo(port: number): void {
    this.#target = port;
  }

  /** Cuts all connections, and refuses new ones. */
  cut(): void {
    this.#refuses = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Lets connections pass until a stream has sent so many bytes, and resolves when it is cut then. */
  pass(bytes = Number.POSITIVE_INFINITY): Promise<void> {
    this.#refuses = false;
    this.#allowance = bytes;
    return new Promise((resolve) => (this.#onCut = resolve));
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(near: Socket): void {
    if (this.#refuses) return void near.resetAndDestroy();
    const far = connect(this.#target, "127.0.0.1");
    let isStream = false;
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
    near.on("data", (chunk) => {
      if (chunk.includes("GET /api/stream?")) isStream = true;
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (!isStream || chunk.length < this.#allowance) {
        if (isStream) this.#allowance -= chunk.length;
        return void near.write(chunk);
      }
      near.write(chunk.subarray(0, this.#allowance), () => {
        this.cut();
        this.#onCut();
      });
    });
  }
}
