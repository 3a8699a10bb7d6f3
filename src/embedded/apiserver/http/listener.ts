import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { HttpRequest, HttpResponse } from "./exchange.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly certPem: string;
  readonly keyPem: string;
  /** Whose client certificates are believed. */
  readonly caPem: string;
  readonly handle: (request: HttpRequest, response: HttpResponse) => void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** As kube-apiserver: a request's line and headers may have 1 MiB. */
const maxHeaderBytes = 1024 * 1024;

/** TLS with HTTP/2 and HTTP/1.1 on one port. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const server: Http2SecureServer = createSecureServer(
    {
      cert: options.certPem,
      key: options.keyPem,
      ca: options.caPem,
      // A certificate is asked for, not demanded: tokens are as good. One we do not know counts as none.
      requestCert: true,
      rejectUnauthorized: false,
      allowHTTP1: true,
      minVersion: "TLSv1.2",
      settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024, maxHeaderListSize: maxHeaderBytes },
    },
    options.handle as never,
  );
  // Node's five seconds would cut the idle connections that clients keep in their pools.
  // Selectors of real clients fill long URLs. For HTTP/1.1 Node takes its limits from the server, not from the options.
  const http1 = {
    keepAliveTimeout: 10 * 60_000,
    headersTimeout: 30_000,
    requestTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  };
  Object.assign(server, http1);
  const open = new Set<Socket | ServerHttp2Session>();
  const track = (connection: Socket | ServerHttp2Session): void => {
    open.add(connection);
    connection.once("close", () => open.delete(connection));
  };
  // From before the handshake: one that is under way when the server closes would end in a connection that stays.
  server.on("connection", track);
  server.on("secureConnection", track);
  server.on("session", track);
  // A client that speaks no TLS, or goes in the middle of a handshake, is its own problem.
  server.on("tlsClientError", () => {});
  server.on("clientError", (_error, socket: Socket) => socket.destroy());
  server.on("sessionError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of open) connection.destroy();
      }),
  };
}
