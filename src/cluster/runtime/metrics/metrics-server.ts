import { readFile } from "node:fs/promises";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { type Clock, pause, systemClock } from "../clock.ts";
import type { Runnable } from "../controller/runnable-group.ts";
import { type Log, noLog } from "../log/log.ts";
import { parseAddress, send } from "./http-answer.ts";
import type { Exposition } from "./metrics.ts";

export interface MetricsServerOptions {
  /** `host:port` or `:port`; port 0 picks a free one. */
  readonly address: string;
  readonly metrics: Exposition;
  /** A directory with `tls.crt` and `tls.key`, as a Secret is mounted. It may be empty or missing, and change. */
  readonly certificates?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** A kubelet writes a changed Secret within a minute or so. */
const reloadMs = 10_000;

/**
 * Serves `/metrics`: over HTTPS as soon as there is a certificate, which OpenShift's service CA issues and renews, and over
 * plain HTTP on clusters that issue none.
 */
export class MetricsServer implements Runnable {
  readonly name = "metrics server";
  readonly #options: MetricsServerOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #plain = createHttp((request, response) => this.#handle(request, response));
  readonly #secure = createHttps({ minVersion: "TLSv1.2" }, (request, response) => this.#handle(request, response));
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #loaded = "";
  #rejected = "";

  constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? noLog;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      (this.#loaded === "" ? this.#plain : this.#secure).emit("connection", socket);
    });
    this.#secure.on("tlsClientError", (error: Error) =>
      this.#log.debug({ error: error.message }, "TLS handshake failed"),
    );
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#load();
    await this.#listen();
    this.#log.info({ port: this.port, tls: this.#loaded !== "" }, "serve metrics");
    try {
      while (!signal.aborted) {
        await pause(this.#clock, reloadMs, signal);
        await this.#load();
      }
    } finally {
      const closed = new Promise((resolve) => this.#server.close(resolve));
      for (const socket of this.#sockets) socket.destroy();
      await closed;
    }
  }

  /** Keeps the certificate that is served if the files are gone, or do not belong together while they are replaced. */
  async #load(): Promise<void> {
    const { certificates } = this.#options;
    if (certificates === undefined) return;
    const [cert, key] = await Promise.all(["tls.crt", "tls.key"].map((name) => readIfThere(join(certificates, name))));
    const pair = `${cert}${key}`;
    if (!cert || !key || pair === this.#loaded || pair === this.#rejected) return;
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      this.#rejected = pair;
      this.#log.warn({ error, certificates }, "the certificate for metrics cannot be used");
      return;
    }
    this.#secure.setSecureContext({ cert, key, minVersion: "TLSv1.2" });
    this.#loaded = pair;
    this.#log.info({}, "serving metrics with a new certificate");
  }

  async #listen(): Promise<void> {
    const { address } = this.#options;
    const { host, port } = parseAddress(address, "serve metrics");
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (cause) =>
        reject(new Error(`serve metrics on ${address}: ${cause.message}`, { cause })),
      );
      this.#server.listen(port, host, resolve);
    });
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { metrics } = this.#options;
    const [path] = (request.url ?? "").split("?");
    if (request.method !== "GET" && request.method !== "HEAD") send(response, 405, "method not allowed\n");
    else if (path !== "/metrics") send(response, 404, "not found\n");
    else
      metrics.text().then(
        (text) => send(response, 200, text, metrics.contentType),
        (error: unknown) => {
          this.#log.error({ error }, "metrics");
          send(response, 500, "internal error, see the log\n");
        },
      );
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
