import { isIP } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import type { SentRequest } from "../../../cluster/http1/exchange.ts";
import { BodyLimitError } from "../../../cluster/http1/response-reader.ts";
import { requestText } from "../../../cluster/http1/request-text.ts";
import { SocketPool } from "../../../cluster/http1/socket-pool.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { readJson, writeJson } from "../../../language/object/exact-json.ts";
import { scanJson } from "../body/json-scan.ts";
import type { ObjectReader } from "../storage/store-reader.ts";
import { answerFailure } from "./answer-failure.ts";
import { readCaBundle } from "./ca-bundle.ts";
import { callFailure, wrongServer } from "./call-failure.ts";
import type { ClientConfig, ReviewClient } from "./review-client.ts";
import { ServiceAddresses } from "./service-address.ts";

/** The limit of a request body: no object is larger. */
const maxAnswerBytes = 3 * 1024 * 1024;
/** Connections to one webhook. Further calls wait for one; their timeout runs meanwhile. */
const maxConnections = 64;
const idleMs = 90_000;
const maxTrusts = 100;

interface Pool {
  readonly sockets: SocketPool;
  usedAt: number;
}

/** Calls webhooks over HTTPS. Connections are reused, one pool for each address, server name and CA. */
export class HttpReviewClient implements ReviewClient {
  readonly #services: ServiceAddresses;
  readonly #clock: Clock;
  /** A cache: parsing certificates is slow, and bundles rarely change. */
  readonly #trusts = new Map<string, ConnectionOptions>();
  /** By CA, then by server: a key of both would be as long as the CA, and be made for each call. */
  readonly #pools = new Map<string, Map<string, Pool>>();
  #closed = false;

  constructor({ objects, clock }: { readonly objects: ObjectReader; readonly clock: Clock }) {
    this.#services = new ServiceAddresses(objects);
    this.#clock = clock;
  }

  async ask(config: ClientConfig, review: object, { timeoutMs }: { readonly timeoutMs: number }): Promise<unknown> {
    if (this.#closed) throw new Error("the server is shutting down");
    const target = this.#target(config, timeoutMs);
    const pool = this.#poolFor(target);
    const request = requestTo(target, writeJson(review));
    let sent = pool.send("POST", request);
    const stopTimer = this.#clock.after(timeoutMs, () => sent.fail(new Error("context deadline exceeded")));
    try {
      const response = await sent.response.catch((error: NodeJS.ErrnoException) => {
        if (!wasClosing(sent, error)) throw error;
        return (sent = pool.send("POST", request)).response;
      });
      const text = await response.text().catch(unfinished);
      return parsed(response.status, response.header("content-type"), text);
    } catch (error) {
      if (error instanceof AnswerError) throw error;
      throw new Error(`Post ${JSON.stringify(target.url)}: ${callFailure(error as Error)}`, { cause: error });
    } finally {
      stopTimer();
    }
  }

  close(): void {
    this.#closed = true;
    for (const pools of this.#pools.values()) for (const { sockets } of pools.values()) sockets.close();
  }

  #poolFor({ host, port, servername, caBundle }: Target): SocketPool {
    const server = `${host} ${port} ${servername}`;
    const now = this.#clock.monotonic();
    let pool = this.#pools.get(caBundle)?.get(server);
    if (!pool) {
      this.#retireUnused(now);
      const options = { ...this.#trustIn(caBundle), host, port, servername, ALPNProtocols: ["http/1.1"] };
      pool = { sockets: new SocketPool(() => connect(options), maxConnections, maxAnswerBytes), usedAt: now };
      const pools = this.#pools.get(caBundle) ?? new Map<string, Pool>();
      this.#pools.set(caBundle, pools.set(server, pool));
    }
    pool.usedAt = now;
    return pool.sockets;
  }

  /** The endpoints of a service change, and its authority. */
  #retireUnused(now: number): void {
    for (const [caBundle, pools] of this.#pools) {
      for (const [server, { sockets, usedAt }] of pools) {
        if (now - usedAt < idleMs) continue;
        sockets.retire();
        pools.delete(server);
      }
      if (pools.size === 0) this.#pools.delete(caBundle);
    }
  }

  #trustIn(caBundle: string): ConnectionOptions {
    let trust = this.#trusts.get(caBundle);
    if (!trust) {
      if (this.#trusts.size === maxTrusts) this.#trusts.clear();
      this.#trusts.set(caBundle, (trust = trustIn(caBundle)));
    }
    return trust;
  }

  #target(config: ClientConfig, timeoutMs: number): Target {
    const query = `?timeout=${timeoutMs / 1000}s`;
    const { caBundle = "" } = config;
    if (!config.service) {
      if (!config.url) throw new Error("webhook configuration must have either service or URL");
      const { protocol, hostname, port, host, pathname } = new URL(config.url);
      if (protocol !== "https:") throw new Error(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
      const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
      const path = `${pathname}${query}`;
      const server = { host: bare, port: Number(port || 443), servername: isIP(bare) ? "" : bare };
      return { caBundle, ...server, authority: host, path, url: `https://${host}${path}` };
    }
    const { namespace, name, port = 443, path: given = "" } = config.service;
    const servername = `${name}.${namespace}.svc`;
    const authority = `${servername}:${port}`;
    const path = `${given.startsWith("/") ? "" : "/"}${given}${query}`;
    const url = `https://${authority}${path}`;
    try {
      return { caBundle, ...this.#services.find(namespace, name, port), servername, authority, path, url };
    } catch (error) {
      throw new Error(`Post ${JSON.stringify(url)}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Where a review goes. */
interface Target {
  readonly caBundle: string;
  readonly host: string;
  readonly port: number;
  /** Empty for an address. */
  readonly servername: string;
  /** The `Host` header. */
  readonly authority: string;
  readonly path: string;
  readonly url: string;
}

function requestTo({ authority, path }: Target, review: string): string | Buffer {
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(review),
    Accept: "application/json, */*",
    "User-Agent": "kube-apiserver-admission",
  };
  return requestText({ host: authority, method: "POST", path, headers, body: review });
}

/** Whether the webhook was just closing the reused connection: then it has not seen the review. */
function wasClosing({ reused }: SentRequest, { code }: NodeJS.ErrnoException): boolean {
  return reused && (code === "ECONNRESET" || code === "EPIPE");
}

/** The webhook responded, but the response is invalid: not a connection error. */
class AnswerError extends Error {}

function unfinished(error: Error): never {
  if (error instanceof BodyLimitError) throw new AnswerError(`the answer is longer than ${maxAnswerBytes} bytes`);
  throw new AnswerError(
    `unexpected error when reading response body. Please retry. Original error: ${callFailure(error)}`,
  );
}

function trustIn(caBundle: string): ConnectionOptions {
  // White space alone counts as empty.
  const bundle = readCaBundle(Buffer.from(caBundle, "base64").toString("latin1").trim() ? caBundle : "");
  if (bundle.type === "fault") throw new Error(bundle.why);
  if (bundle.type === "none") return { checkServerIdentity: wrongServer };
  // As in Go, every certificate in the bundle is trusted: root, intermediate or the server's own.
  return { ca: bundle.pem, allowPartialTrustChain: true, checkServerIdentity: wrongServer };
}

function parsed(code: number, contentType: string | undefined, text: string): unknown {
  // Redirects are not followed, as in kube-apiserver.
  if (code < 200 || code > 206) throw new AnswerError(answerFailure(code, contentType, text));
  if (text === "")
    throw new AnswerError(
      `0-length response with status code: ${code} and content type: ${contentType ?? "application/json"}`,
    );
  let answer: unknown;
  try {
    answer = readJson(text);
  } catch (error) {
    throw new AnswerError(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
  // The same limits as for request bodies.
  const scan = scanJson(text);
  if (scan.type === "refused") throw new AnswerError(`the answer cannot be read: ${scan.why}`);
  return answer;
}
