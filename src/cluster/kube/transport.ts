import { type IncomingMessage, type OutgoingHttpHeaders, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type Socket, connect as netConnect, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { checkServerIdentity, type ConnectionOptions, createSecureContext, connect as tlsConnect } from "node:tls";
import type { Cluster } from "./connect/connection.ts";
import type { ClientCertificate } from "./connect/credentials.ts";
import { bareHost } from "./connect/proxy.ts";
import { TunnelAgent } from "./connect/tunnel-agent.ts";
import type { SentRequest } from "../http1/exchange.ts";
import { requestText } from "../http1/request-text.ts";
import { SocketPool } from "../http1/socket-pool.ts";
import type { LinkedAbort } from "./linked-abort.ts";
import { StreamedResponse } from "./streamed-response.ts";

export interface HttpRequest {
  method: string;
  /** Path and query, below the path in the server's URL. */
  path: string;
  headers: OutgoingHttpHeaders;
  body?: string | undefined;
  certificate?: ClientCertificate | undefined;
  abort: LinkedAbort;
}

/** The connections opened with one client certificate, or with none. */
interface Opened {
  certificate: ClientCertificate | undefined;
  /** For short requests: our own pool, or Node's agent where a proxy is in between. */
  short: SocketPool | HttpAgent;
  /** For watches: they hold a connection for minutes and must not use up the pool of short requests. */
  long: HttpAgent;
}

/** The connections to one server. Nothing is opened before the first request. */
export class Transport {
  readonly host: string;
  readonly #cluster: Cluster;
  readonly #url: URL;
  readonly #basePath: string;
  readonly #maxSockets: number;
  readonly #maxBody: number | undefined;
  #opened: Opened | undefined;

  constructor(
    cluster: Cluster,
    { maxSockets = 32, maxBody }: { maxSockets?: number | undefined; maxBody?: number | undefined } = {},
  ) {
    this.#cluster = cluster;
    this.#url = new URL(cluster.server);
    this.#basePath = this.#url.pathname.replace(/\/+$/, "");
    this.#maxSockets = maxSockets;
    this.#maxBody = maxBody;
    this.host = this.#url.host;
  }

  /** For a response that is read as a whole. */
  send(request: HttpRequest): SentRequest {
    const { short } = this.#openedFor(request.certificate);
    if (!(short instanceof SocketPool)) return this.#stream(request, short);
    const { method, headers, body, abort } = request;
    const path = this.#basePath + request.path;
    const sent = short.send(method, requestText({ host: this.host, method, path, headers, body }));
    abort.onAbort(() => sent.fail(aborted()));
    return sent;
  }

  /** For a response that goes on: the caller reads or destroys the body. */
  stream(request: HttpRequest): SentRequest<StreamedResponse> {
    return this.#stream(request, this.#openedFor(request.certificate).long);
  }

  #stream(request: HttpRequest, agent: HttpAgent): SentRequest<StreamedResponse> {
    const secure = this.#url.protocol === "https:";
    const sent = (secure ? httpsRequest : httpRequest)({
      ...this.#address(),
      method: request.method,
      path: this.#basePath + request.path,
      headers: request.headers,
      agent,
    });
    request.abort.onAbort(() => sent.destroy(aborted()));
    const response = new Promise<StreamedResponse>((resolve, reject) => {
      sent.once("response", (message: IncomingMessage) => resolve(new StreamedResponse(message)));
      // Without a listener Node closes the connection.
      if (request.headers.upgrade !== undefined)
        sent.once("upgrade", (message: IncomingMessage, socket: Duplex, head: Buffer) => {
          if (head.length > 0) socket.unshift(head);
          resolve(new StreamedResponse(message, socket));
        });
      // Stays for the life of the request: a reset after the response head is emitted here too, and without a listener
      // it would end the process.
      sent.on("error", reject);
    });
    sent.end(request.body);
    return {
      response,
      get reused() {
        return sent.reusedSocket;
      },
    };
  }

  /** Closes idle connections: when one of them turned out dead, the others likely are too. */
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

  /** A renewed certificate needs new connections; running requests keep theirs. */
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
        : new SocketPool(this.#connect(tls), kept, this.#maxBody),
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
    const name = tlsServerName ?? this.#address().host;
    return {
      // Created once: parsing the authorities for each connection would cost more than the handshake.
      secureContext: createSecureContext({
        ca: certificateAuthority,
        cert: certificate?.cert,
        key: certificate?.key,
      }),
      rejectUnauthorized: !insecureSkipTlsVerify,
      // SNI carries names only; an address is checked against the certificate all the same.
      servername: isIP(name) === 0 ? name : "",
      checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
    };
  }

  #connect(tls: ConnectionOptions | undefined): () => Socket {
    const address = this.#address();
    if (!tls) return () => netConnect(address);
    /** The last session ticket: it makes the next handshake shorter. */
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
    // keepAliveMsecs also sets TCP keep-alive, by which the kernel detects peers that are gone.
    const options = { keepAlive: true, keepAliveMsecs: 30_000, ...limits, ...tls };
    const { proxyUrl } = this.#cluster;
    if (proxyUrl) return new TunnelAgent({ ...options, proxyUrl, secure: tls !== undefined });
    return tls ? new OneServerAgent(options) : new HttpAgent(options);
  }
}

function aborted(): Error {
  return new Error("the request was aborted");
}

/** Node would build a pool name from twenty options, twice for each request; here all connections are alike. */
class OneServerAgent extends HttpsAgent {
  override getName(): string {
    return "server";
  }
}
