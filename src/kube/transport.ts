import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import type { Cluster } from "./connection.ts";
import type { ClientCertificate } from "./credentials.ts";
import type { LinkedAbort } from "./linked-abort.ts";
import { bareHost } from "./proxy.ts";
import { TunnelAgent } from "./tunnel-agent.ts";

export interface Exchange {
  method: string;
  /** Path and query; the server's own path is put before it. */
  path: string;
  headers: OutgoingHttpHeaders;
  body?: string;
  certificate?: ClientCertificate;
  /** Watches hold their connection for minutes and must not use up those that short requests share. */
  longLived?: boolean;
  abort: LinkedAbort;
}

/** The connections to one server. Nothing is opened before the first request. */
export class Transport {
  readonly host: string;
  readonly #cluster: Cluster;
  readonly #url: URL;
  readonly #basePath: string;
  readonly #maxSockets: number;
  #agents: { short: HttpAgent; long: HttpAgent; certificate: ClientCertificate | undefined } | undefined;

  constructor(cluster: Cluster, { maxSockets = 32 }: { maxSockets?: number } = {}) {
    this.#cluster = cluster;
    this.#url = new URL(cluster.server);
    this.#basePath = this.#url.pathname.replace(/\/+$/, "");
    this.#maxSockets = maxSockets;
    this.host = this.#url.host;
  }

  /** Resolves with the answer's head; its body is read, or destroyed, by the caller. */
  open(exchange: Exchange): { request: ClientRequest; response: Promise<IncomingMessage> } {
    const secure = this.#url.protocol === "https:";
    const { short, long } = this.#agentsFor(exchange.certificate);
    const request = (secure ? httpsRequest : httpRequest)({
      host: bareHost(this.#url.hostname),
      port: this.#url.port || (secure ? 443 : 80),
      method: exchange.method,
      path: this.#basePath + exchange.path,
      headers: exchange.headers,
      agent: exchange.longLived ? long : short,
    });
    exchange.abort.onAbort(() => request.destroy(new Error("the request was given up")));
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      request.once("response", resolve);
      // Stays for the life of the request: a reset after the answer's head is reported on both, and unheard ends the process.
      request.on("error", reject);
    });
    request.end(exchange.body);
    return { request, response };
  }

  /** Closes connections that are idle: when one of them proved dead, the others are likely dead as well. */
  dropIdle(): void {
    for (const agent of this.#both())
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  /** Open connections, idle ones too. */
  get sockets(): number {
    let count = 0;
    for (const agent of this.#both())
      for (const pool of [agent.sockets, agent.freeSockets])
        for (const sockets of Object.values(pool)) count += sockets?.length ?? 0;
    return count;
  }

  close(): void {
    for (const agent of this.#both()) agent.destroy();
    this.#agents = undefined;
  }

  #both(): HttpAgent[] {
    return this.#agents ? [this.#agents.short, this.#agents.long] : [];
  }

  /** A renewed certificate needs new connections; requests under way keep theirs. */
  #agentsFor(certificate: ClientCertificate | undefined): { short: HttpAgent; long: HttpAgent } {
    const known = this.#agents;
    if (known && known.certificate?.cert === certificate?.cert && known.certificate?.key === certificate?.key)
      return known;
    this.dropIdle();
    for (const agent of this.#both()) agent.maxFreeSockets = 0;
    const agents = {
      short: this.#agent(certificate, { maxSockets: this.#maxSockets, maxFreeSockets: this.#maxSockets }),
      long: this.#agent(certificate, { maxFreeSockets: 1 }),
      certificate,
    };
    this.#agents = agents;
    return agents;
  }

  #agent(
    certificate: ClientCertificate | undefined,
    limits: { maxSockets?: number; maxFreeSockets: number },
  ): HttpAgent {
    // keepAliveMsecs also sets TCP keep-alive, by which the kernel finds peers that vanished.
    const common = { keepAlive: true, keepAliveMsecs: 30_000, ...limits };
    const { proxyUrl, certificateAuthority, insecureSkipTlsVerify, tlsServerName } = this.#cluster;
    if (this.#url.protocol !== "https:")
      return proxyUrl ? new TunnelAgent({ ...common, proxyUrl, secure: false }) : new HttpAgent(common);
    const host = bareHost(this.#url.hostname);
    const tls = {
      ...common,
      // Made once: parsing authorities for each connection would cost more than the handshake.
      secureContext: createSecureContext({
        ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
        ...(certificate ? { cert: certificate.cert, key: certificate.key } : {}),
      }),
      rejectUnauthorized: !insecureSkipTlsVerify,
      // SNI carries names only; an address is checked against the certificate all the same.
      servername: tlsServerName ?? (isIP(host) === 0 ? host : ""),
    };
    return proxyUrl ? new TunnelAgent({ ...tls, proxyUrl, secure: true }) : new OneServerAgent(tls);
  }
}

/** Node would put a name together from twenty options, twice for each request; all connections here are alike. */
class OneServerAgent extends HttpsAgent {
  override getName(): string {
    return "server";
  }
}
