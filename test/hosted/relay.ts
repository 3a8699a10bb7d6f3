import { connect, createServer, type Server, type Socket } from "node:net";
import { bearer, staticCredentials } from "../../src/cluster/kube/connect/credentials.ts";
import { HttpClient } from "../../src/cluster/kube/http-client.ts";
import type { ServerUnderTest } from "../servers/server-under-test.ts";

/** A way to an API server that tests can cut or stop. */
export class Relay {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isFrozen = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async to({
    url,
    authority,
  }: ServerUnderTest): Promise<{ readonly relay: Relay; readonly client: HttpClient }> {
    const relay = new Relay(Number(new URL(url).port));
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve));
    const address = relay.#server.address();
    const own = typeof address === "object" ? address?.port : undefined;
    const client = new HttpClient({
      cluster: { server: `https://127.0.0.1:${own}`, certificateAuthority: authority.caPem },
      credentials: staticCredentials(bearer(authority.adminToken)),
      namespace: "default",
      name: "relay",
    });
    return { relay, client };
  }

  #accept(socket: Socket): void {
    if (this.#isCut) return void socket.destroy();
    const further = connect(this.#target, "127.0.0.1");
    for (const one of [socket, further]) {
      this.#sockets.add(one);
      // Either end may be cut at any time.
      one.on("error", () => one.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        socket.destroy();
        further.destroy();
      });
    }
    socket.pipe(further);
    further.pipe(socket);
    if (this.#isFrozen) this.#pause();
  }

  /** The server does not answer, and no connection ends. */
  freeze(): void {
    this.#isFrozen = true;
    this.#pause();
  }

  #pause(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** No connection is accepted, and those that there are end. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Connections that were frozen are lost, as when a server restarts. */
  restore(): void {
    if (this.#isFrozen) for (const socket of this.#sockets) socket.destroy();
    this.#isCut = false;
    this.#isFrozen = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
