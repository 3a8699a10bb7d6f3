import { type ClientRequestArgs, request as httpRequest } from "node:http";
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";

export interface TunnelAgentOptions extends AgentOptions {
  proxyUrl: string;
  /** Whether TLS runs inside the tunnel. */
  secure: boolean;
}

type Created = (error: Error | null, stream: Duplex) => void;

/** Reaches servers through a proxy with CONNECT. */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;
  readonly #secure: boolean;

  constructor({ proxyUrl, secure, ...options }: TunnelAgentOptions) {
    super(options);
    this.#proxy = new URL(proxyUrl);
    this.#secure = secure;
    if (this.#proxy.protocol !== "http:" && this.#proxy.protocol !== "https:")
      throw new Error(
        `use proxy ${this.#proxy.host}: only http and https proxies are supported, not ${this.#proxy.protocol}`,
      );
    // Node compares the agent's protocol with the request's.
    if (!secure) Object.assign(this, { protocol: "http:", defaultPort: 80 });
  }

  override createConnection(options: ClientRequestArgs, callback?: Created): undefined {
    const done = (error: Error | null, stream?: Duplex): void => callback?.(error, stream as Duplex);
    const host = options.host ?? "localhost";
    const target = `${host.includes(":") ? `[${host}]` : host}:${options.port}`;
    const { username, password, protocol, hostname, port } = this.#proxy;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const request = (protocol === "https:" ? httpsRequest : httpRequest)({
      host: hostname,
      port: port || (protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: target,
      headers: {
        host: target,
        ...(username ? { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` } : {}),
      },
      agent: false,
    });
    request.once("error", (cause) => done(new Error(`use proxy ${this.#proxy.host}: ${cause.message}`, { cause })));
    request.once("connect", (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return done(
          new Error(`use proxy ${this.#proxy.host}: it responded to CONNECT ${target} with ${response.statusCode}`),
        );
      }
      done(null, this.#secure ? tlsConnect({ ...(options as object), host, socket }) : socket);
    });
    request.end();
    return undefined;
  }
}
