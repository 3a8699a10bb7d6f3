import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { readThroughStreams } from "../../../cluster/runtime/read-through-streams.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly certPem: string;
  readonly keyPem: string;
  /** The authority of client certificates. */
  readonly caPem: string;
  readonly handle: (request: HttpRequest, response: HttpResponse) => void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** As kube-apiserver: at most 1 MiB of request line and headers. */
const maxHeaderBytes = 1024 * 1024;

/** TLS with HTTP/2 and HTTP/1.1 on one port. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const server: Http2SecureServer = createSecureServer(
    {
      cert: options.certPem,
      key: options.keyPem,
      ca: options.caPem,
      // A client certificate is optional: clients may send a token. An untrusted certificate counts as none.
      requestCert: true,
      rejectUnauthorized: false,
      allowHTTP1: true,
      minVersion: "TLSv1.2",
      settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024, maxHeaderListSize: maxHeaderBytes },
    },
    options.handle as never,
  );
  // Node's default of five seconds would close connections that clients keep in their pools, and its default header
  // limit is too small for URLs with long selectors. For HTTP/1.1 Node reads these from the server, not the options.
  const http1 = {
    keepAliveTimeout: 10 * 60_000,
    headersTimeout: 30_000,
    requestTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  };
  Object.assign(server, http1);
  readThroughStreams(server);
  const open = new Set<Socket | ServerHttp2Session>();
  const track = (connection: Socket | ServerHttp2Session): void => {
    open.add(connection);
    connection.once("close", () => open.delete(connection));
  };
  // Tracked from before the TLS handshake, so that close() also ends connections in the middle of one.
  server.on("connection", track);
  server.on("secureConnection", track);
  server.on("session", track);
  // Failed handshakes are the client's problem: they are not logged.
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
