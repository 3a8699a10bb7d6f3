import { type IncomingMessage, type OutgoingHttpHeaders, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type Socket, connect as netConnect, isIP } from "node:net";
import { type ConnectionOptions, createSecureContext, connect as tlsConnect } from "node:tls";
import type { Cluster } from "./connect/connection.ts";
import type { ClientCertificate } from "./connect/credentials.ts";
import { bareHost } from "./connect/proxy.ts";
import { TunnelAgent } from "./connect/tunnel-agent.ts";
import type { SentRequest } from "./http1/exchange.ts";
import { requestText } from "./http1/request-text.ts";
import { SocketPool } from "./http1/socket-pool.ts";
import type { LinkedAbort } from "./linked-abort.ts";
import { StreamedResponse } from "./streamed-response.ts";

export interface HttpRequest {
  method: string;
  /** Path and query; the server's own path is put before it. */
  path: string;
  headers: OutgoingHttpHeaders;
  body?: string;
  certificate?: ClientCertificate;
  abort: LinkedAbort;
}

/** What was opened with one certificate, or none. */
interface Opened {
  certificate: ClientCertificate | undefined;
  /** For short requests: a pool of our own, or Node's where a proxy is in between. */
  short: SocketPool | HttpAgent;
  /** Watches hold their connection for minutes and must not use up those that short requests share. */
  long: HttpAgent;
}

/** The connections to one server. Nothing is opened before the first request. */
export class Transport {
  readonly host: string;
  readonly #cluster: Cluster;
  readonly #url: URL;
  readonly #basePath: string;
  readonly #maxSockets: number;
  #opened: Opened | undefined;

  constructor(cluster: Cluster, { maxSockets = 32 }: { maxSockets?: number } = {}) {
    this.#cluster = cluster;
    this.#url = new URL(cluster.server);
    this.#basePath = this.#url.pathname.replace(/\/+$/, "");
    this.#maxSockets = maxSockets;
    this.host = this.#url.host;
  }

  /** For answers that come in one piece. */
  send(exchange: HttpRequest): SentRequest {
    const { short } = this.#openedFor(exchange.certificate);
    if (!(short instanceof SocketPool)) return this.#stream(exchange, short);
    const { method, headers, body, abort } = exchange;
    const path = this.#basePath + exchange.path;
    const sent = short.send(method, requestText({ host: this.host, method, path, headers, body }));
    abort.onAbort(() => sent.fail(givenUp()));
    return sent;
  }

  /** For answers that go on: the body is read, or destroyed, by the caller. */
  stream(exchange: HttpRequest): SentRequest<StreamedResponse> {
    return this.#stream(exchange, this.#openedFor(exchange.certificate).long);
  }

  #stream(exchange: HttpRequest, agent: HttpAgent): SentRequest<StreamedResponse> {
    const secure = this.#url.protocol === "https:";
    const request = (secure ? httpsRequest : httpRequest)({
      ...this.#address(),
      method: exchange.method,
      path: this.#basePath + exchange.path,
      headers: exchange.headers,
      agent,
    });
    exchange.abort.onAbort(() => request.destroy(givenUp()));
    const answer = new Promise<StreamedResponse>((resolve, reject) => {
      request.once("response", (message: IncomingMessage) => resolve(new StreamedResponse(message)));
      // Stays for the life of the request: a reset after the answer's head is reported on both, and unheard ends the process.
      request.on("error", reject);
    });
    request.end(exchange.body);
    return {
      answer,
      get reused() {
        return request.reusedSocket;
      },
    };
  }

  /** Closes connections that are idle: when one of them proved dead, the others are likely dead as well. */
  dropIdle(): void {
    if (!this.#opened) return;
    for (const kept of [this.#opened.short, this.#opened.long]) {
      if (kept instanceof SocketPool) kept.dropIdle();
      else for (const sockets of Object.values(kept.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }

  /** Open connections, idle ones too. */
  get sockets(): number {
    if (!this.#opened) return 0;
    let count = 0;
    for (const kept of [this.#opened.short, this.#opened.long]) {
      if (kept instanceof SocketPool) count += kept.size;
      else
        for (const pool of [kept.sockets, kept.freeSockets])
          for (const sockets of Object.values(pool)) count += sockets?.length ?? 0;
    }
    return count;
  }

  close(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened?.short instanceof SocketPool) opened.short.close();
    else opened?.short.destroy();
    opened?.long.destroy();
  }

  /** A renewed certificate needs new connections; requests under way keep theirs. */
  #openedFor(certificate: ClientCertificate | undefined): Opened {
    const known = this.#opened;
    if (known && known.certificate?.cert === certificate?.cert && known.certificate?.key === certificate?.key)
      return known;
    const tls = this.#url.protocol === "https:" ? this.#tls(certificate) : undefined;
    const kept = this.#maxSockets;
    const opened = {
      certificate,
      short: this.#cluster.proxyUrl
        ? this.#agent(tls, { maxSockets: kept, maxFreeSockets: kept })
        : new SocketPool(this.#connect(tls), kept),
      long: this.#agent(tls, { maxFreeSockets: 1 }),
    };
    this.dropIdle();
    if (known?.short instanceof SocketPool) known.short.retire();
    else if (known) known.short.maxFreeSockets = 0;
    if (known) known.long.maxFreeSockets = 0;
    this.#opened = opened;
    return opened;
  }

  #address(): { host: string; port: number } {
    const { hostname, port, protocol } = this.#url;
    return { host: bareHost(hostname), port: Number(port) || (protocol === "https:" ? 443 : 80) };
  }

  #tls(certificate: ClientCertificate | undefined): ConnectionOptions {
    const { certificateAuthority, insecureSkipTlsVerify, tlsServerName } = this.#cluster;
    const { host } = this.#address();
    return {
      // Made once: parsing authorities for each connection would cost more than the handshake.
      secureContext: createSecureContext({
        ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
        ...(certificate ? { cert: certificate.cert, key: certificate.key } : {}),
      }),
      rejectUnauthorized: !insecureSkipTlsVerify,
      // SNI carries names only; an address is checked against the certificate all the same.
      servername: tlsServerName ?? (isIP(host) === 0 ? host : ""),
    };
  }

  #connect(tls: ConnectionOptions | undefined): () => Socket {
    const address = this.#address();
    if (!tls) return () => netConnect(address);
    /** With the last ticket a server gave, the next handshake is a short one. */
    let session: Buffer | undefined;
    return () => {
      const socket = tlsConnect({ ...tls, ...address, session });
      socket.on("session", (ticket) => (session = ticket));
      socket.once("close", (failed) => {
        if (failed) session = undefined;
      });
      return socket;
    };
  }

  #agent(tls: ConnectionOptions | undefined, limits: { maxSockets?: number; maxFreeSockets: number }): HttpAgent {
    // keepAliveMsecs also sets TCP keep-alive, by which the kernel finds peers that vanished.
    const options = { keepAlive: true, keepAliveMsecs: 30_000, ...limits, ...tls };
    const { proxyUrl } = this.#cluster;
    if (proxyUrl) return new TunnelAgent({ ...options, proxyUrl, secure: tls !== undefined });
    return tls ? new OneServerAgent(options) : new HttpAgent(options);
  }
}

function givenUp(): Error {
  return new Error("the request was given up");
}

/** Node would put a name together from twenty options, twice for each request; all connections here are alike. */
class OneServerAgent extends HttpsAgent {
  override getName(): string {
    return "server";
  }
}
