import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseAddress, send } from "./http-answer.ts";
import type { Exposition } from "./metrics.ts";

/** Throws or rejects with the reason of a failure. */
export type Check = () => void | Promise<void>;
export type Checks = ReadonlyMap<string, Check>;

export interface ProbeServerOptions {
  /** `host:port` or `:port`; port 0 picks a free one. */
  address: string;
  healthz?: Checks | undefined;
  readyz?: Checks | undefined;
  metrics?: Exposition | undefined;
}

/** Serves `/healthz`, `/readyz` and `/metrics` to the kubelet and Prometheus, in plain HTTP. */
export class ProbeServer {
  readonly #options: ProbeServerOptions;
  readonly #server: Server;

  constructor(options: ProbeServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        send(response, 500, `internal error: ${error instanceof Error ? error.message : String(error)}\n`);
      });
    });
  }

  /** The address it listens on, with the actual port. */
  get address(): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
  }

  async listen(): Promise<void> {
    const { host, port } = parseAddress(this.#options.address, "serve probes");
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (cause) =>
        reject(new Error(`serve probes on ${this.#options.address}: ${cause.message}`, { cause })),
      );
      this.#server.listen(port, host, resolve);
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { healthz = new Map(), readyz = new Map(), metrics } = this.#options;
    const [path = "", query] = (request.url ?? "").split("?");
    if (request.method !== "GET" && request.method !== "HEAD") return send(response, 405, "method not allowed\n");
    const verbose = query?.startsWith("verbose") ?? false;
    if (path === "/healthz" || path === "/livez") return this.#check(response, path, healthz, verbose);
    if (path === "/readyz") return this.#check(response, path, readyz, verbose);
    if (path === "/metrics" && metrics) return send(response, 200, await metrics.text(), metrics.contentType);
    send(response, 404, "not found\n");
  }

  async #check(response: ServerResponse, path: string, checks: Checks, verbose: boolean): Promise<void> {
    const results = await Promise.all(
      [...checks].map(async ([name, check]) => {
        try {
          await check();
          return { ok: true, line: `[+]${name} ok\n` };
        } catch (error) {
          return { ok: false, line: `[-]${name} failed: ${error instanceof Error ? error.message : String(error)}\n` };
        }
      }),
    );
    const ok = results.every((result) => result.ok);
    const lines = results.map((result) => result.line).join("");
    const verdict = `${path.slice(1)} check ${ok ? "passed" : "failed"}\n`;
    send(response, ok ? 200 : 500, ok && !verbose ? "ok" : lines + verdict);
  }
}
