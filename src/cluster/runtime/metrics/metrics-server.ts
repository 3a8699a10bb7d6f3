import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
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
  /**
   * The authorities of client certificates, in PEM: over HTTPS only clients with a certificate of theirs are answered. ""
   * where there are none, `undefined` as long as that is not known. Default: every client is answered.
   */
  readonly clientAuthorities?: (() => string | undefined) | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** A kubelet writes a changed Secret within a minute or so. */
const reloadMs = 10_000;
const unknownMs = 1000;

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
  // The handshake succeeds without a client certificate: the client is told 401, as by the operator that Attune replaces.
  readonly #secure = createHttps(
    { minVersion: "TLSv1.2", requestCert: true, rejectUnauthorized: false },
    (request, response) => this.#handle(request, response),
  );
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #loaded = "";
  #rejected = "";
  #clients: "all" | "certified" | "unknown" = "all";

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
        await pause(this.#clock, this.#clients === "unknown" ? unknownMs : reloadMs, signal);
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
    if (!cert || !key) return;
    const { clientAuthorities = () => "" } = this.#options;
    const bundle = clientAuthorities();
    const content = JSON.stringify([cert, key, bundle]);
    if (content === this.#loaded || content === this.#rejected) return;
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      this.#rejected = content;
      this.#log.warn({ error, certificates }, "the certificate for metrics cannot be used");
      return;
    }
    const ca = certificatesIn(bundle ?? "");
    if (bundle && ca.length === 0)
      this.#log.warn({}, "the authorities of client certificates cannot be read: metrics are served to every client");
    this.#secure.setSecureContext({ cert, key, ca, minVersion: "TLSv1.2" });
    this.#clients = bundle === undefined ? "unknown" : ca.length > 0 ? "certified" : "all";
    this.#loaded = content;
    this.#log.info({ clients: this.#clients }, "serving metrics with new certificates");
    // Connections of before were made without TLS, or checked against other authorities.
    for (const socket of this.#sockets) socket.destroy();
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

  #mayRead({ socket }: IncomingMessage): boolean {
    if (!(socket instanceof TLSSocket) || this.#clients === "all") return true;
    return this.#clients === "certified" && socket.authorized;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { metrics } = this.#options;
    const [path] = (request.url ?? "").split("?");
    if (request.method !== "GET" && request.method !== "HEAD") send(response, 405, "method not allowed\n");
    else if (path !== "/metrics") send(response, 404, "not found\n");
    else if (!this.#mayRead(request)) send(response, 401, "a client certificate of the cluster is required\n");
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

/** Those that can be read, as PEM. */
function certificatesIn(bundle: string): string[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.filter((block) => {
    try {
      return new X509Certificate(block).subject !== undefined;
    } catch {
      return false; // Not a certificate: the other authorities of the bundle count.
    }
  });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
