import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { type Clock, systemClock, whenAborted } from "../../cluster/runtime/clock.ts";
import { isApiError } from "../../cluster/kube/api-error.ts";
import { errorText } from "../../cluster/runtime/error-text.ts";
import { readThroughStreams } from "../../cluster/runtime/read-through-streams.ts";
import { Api } from "./api.ts";
import { Assets } from "./http/assets.ts";
import { type GuardRules, refusalOf } from "./http/guard.ts";
import { sendError } from "./http/json-body.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { hashOf, secret, Sessions } from "./http/sessions.ts";
import { Streams } from "./stream/streams.ts";
import { type ConsoleCluster, Users } from "./users.ts";

/** PEM, both. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface ConsoleOptions {
  /** The first one is shown first. */
  readonly clusters: readonly ConsoleCluster[];
  /** The built page. */
  readonly assets: string;
  readonly version: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /**
   * `link`: who opens the printed address acts as the user of the clients. `token`: users sign in with their own tokens, and
   * the clients' credentials are used for nothing.
   */
  readonly signIn: "link" | "token";
  /** Names under which browsers reach it besides this machine's. */
  readonly allowedHosts?: readonly string[];
  readonly tls?: TlsFiles | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface RunningConsole {
  readonly url: string;
  /** A new address that signs in once. */
  link(): string;
  /** Who shows it gets a new link: `POST /api/link`. */
  readonly linkKey: string;
  /** New connections get another certificate. */
  renew(tls: TlsFiles): void;
  /** Resolves when it has stopped, after the signal has aborted. */
  readonly stopped: Promise<void>;
}

const minVersion = "TLSv1.2";

/** Serves the page and what it asks for. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { clusters, signal, log, tls, clock = systemClock, allowedHosts = [] } = options;
  const sessions = options.signIn === "link" ? new Sessions(clock) : undefined;
  const users = new Users({ clusters, sessions, clock });
  const streams = new Streams(clock, options.version);
  const linkKey = secret();
  const api = new Api({ users, streams, sessions, linkKey: hashOf(linkKey), signal, log });
  const assets = new Assets(options.assets);
  const protocol = tls ? "https:" : "http:";
  let rules: GuardRules = { protocol, port: 0, allowedHosts };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const { method = "", headers } = request;
    const url = urlOf(request, protocol);
    if (!url) return sendError(response, 400, { error: "the address cannot be read" });
    const refusal = refusalOf({ method, path: url.pathname, headers }, rules);
    if (refusal) return sendError(response, refusal.code, { error: refusal.reason });
    if (url.pathname.startsWith("/api/")) return api.serve({ request, response, url });
    return assets.send(request, response, url.pathname);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      if (!isApiError(error))
        log.error({ error, request: `${request.method} ${request.url}` }, "console request failed");
      if (response.headersSent) response.destroy();
      else sendError(response, isApiError(error) ? 502 : 500, { error: errorText(error) });
    });
  };
  const secure = tls && createTlsServer({ ...tls, minVersion }, listener);
  if (secure) readThroughStreams(secure);
  const server = secure ?? createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  rules = { ...rules, port };
  const url = `${protocol}//${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;

  const stop = async (): Promise<void> => {
    await whenAborted(signal);
    streams.close();
    users.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return {
    url,
    linkKey,
    link: () => `${url}/#${sessions?.issue() ?? ""}`,
    renew: (files) => secure?.setSecureContext({ ...files, minVersion }),
    stopped: stop(),
  };
}

function urlOf(request: IncomingMessage, protocol: string): URL | undefined {
  const { url = "" } = request;
  // `//host/path` would name another host.
  if (!url.startsWith("/") || url.startsWith("//")) return undefined;
  return URL.canParse(url, `${protocol}//console`) ? new URL(url, `${protocol}//console`) : undefined;
}
