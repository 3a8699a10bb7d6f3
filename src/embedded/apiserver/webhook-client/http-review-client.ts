import { readJson, writeJson } from "../../../language/object/exact-json.ts";
import { Agent, request, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import type { Clock } from "../../../cluster/runtime/clock.ts";
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
const maxIdleConnections = 8;
const idleMs = 90_000;
const maxTrusts = 100;

/** Calls webhooks over HTTPS. Connections are reused, one pool for each address, server name and CA. */
export class HttpReviewClient implements ReviewClient {
  readonly #services: ServiceAddresses;
  readonly #clock: Clock;
  readonly #agent = new Agent({
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxIdleConnections,
    timeout: idleMs,
  });
  /** A cache: parsing certificates is slow, and bundles rarely change. */
  readonly #trusts = new Map<string, RequestOptions>();
  #closed = false;

  constructor({ objects, clock }: { readonly objects: ObjectReader; readonly clock: Clock }) {
    this.#services = new ServiceAddresses(objects);
    this.#clock = clock;
  }

  async ask(config: ClientConfig, review: object, { timeoutMs }: { readonly timeoutMs: number }): Promise<unknown> {
    if (this.#closed) throw new Error("the server is shutting down");
    const { options, url } = this.#target(config, timeoutMs);
    const body = Buffer.from(writeJson(review));
    const call = new Call({ ...options, agent: this.#agent, method: "POST", headers: headersFor(options, body) }, body);
    const stopTimer = this.#clock.after(timeoutMs, () => call.cancel(new Error("context deadline exceeded")));
    try {
      return parsed(await call.answer());
    } catch (error) {
      if (error instanceof AnswerError) throw error;
      throw new Error(`Post ${JSON.stringify(url)}: ${callFailure(error as Error)}`, { cause: error });
    } finally {
      stopTimer();
    }
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  #trustIn(caBundle: string): RequestOptions {
    let trust = this.#trusts.get(caBundle);
    if (!trust) {
      if (this.#trusts.size === maxTrusts) this.#trusts.clear();
      this.#trusts.set(caBundle, (trust = trustIn(caBundle)));
    }
    return trust;
  }

  #target(config: ClientConfig, timeoutMs: number): { readonly options: RequestOptions; readonly url: string } {
    const query = `?timeout=${timeoutMs / 1000}s`;
    const trust = this.#trustIn(config.caBundle ?? "");
    if (!config.service) {
      if (!config.url) throw new Error("webhook configuration must have either service or URL");
      const { protocol, hostname, port, host, pathname } = new URL(config.url);
      if (protocol !== "https:") throw new Error(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
      const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
      const path = `${pathname}${query}`;
      return {
        options: { ...trust, host: bare, port: port || 443, path, servername: isIP(bare) ? "" : bare },
        url: `https://${host}${path}`,
      };
    }
    const { namespace, name, port = 443, path = "" } = config.service;
    const servername = `${name}.${namespace}.svc`;
    const absolute = `${path.startsWith("/") ? "" : "/"}${path}${query}`;
    const url = `https://${servername}:${port}${absolute}`;
    try {
      const address = this.#services.find(namespace, name, port);
      return {
        options: { ...trust, ...address, path: absolute, servername, headers: { Host: `${servername}:${port}` } },
        url,
      };
    } catch (error) {
      throw new Error(`Post ${JSON.stringify(url)}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** The webhook responded, but the response is invalid: not a connection error. */
class AnswerError extends Error {}

function headersFor(options: RequestOptions, body: Buffer): RequestOptions["headers"] {
  return {
    ...options.headers,
    "Content-Type": "application/json",
    "Content-Length": body.length,
    Accept: "application/json, */*",
    "User-Agent": "kube-apiserver-admission",
  };
}

function trustIn(caBundle: string): RequestOptions {
  // White space alone counts as empty.
  const bundle = readCaBundle(Buffer.from(caBundle, "base64").toString("latin1").trim() ? caBundle : "");
  if (bundle.type === "fault") throw new Error(bundle.why);
  if (bundle.type === "none") return { checkServerIdentity: wrongServer };
  // As in Go, every certificate in the bundle is trusted: root, intermediate or the server's own.
  return { ca: bundle.pem, allowPartialTrustChain: true, checkServerIdentity: wrongServer };
}

interface Answered {
  readonly code: number;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

function parsed({ code, contentType, body }: Answered): unknown {
  // Redirects are not followed, as in kube-apiserver.
  if (code < 200 || code > 206) throw new AnswerError(answerFailure(code, contentType, body));
  if (body.length === 0)
    throw new AnswerError(
      `0-length response with status code: ${code} and content type: ${contentType ?? "application/json"}`,
    );
  const text = body.toString("utf8");
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

/** One call, retried once if the webhook was just closing the reused connection. */
class Call {
  readonly #options: RequestOptions;
  readonly #body: Buffer;
  #cancel: (reason: Error) => void = () => undefined;

  constructor(options: RequestOptions, body: Buffer) {
    this.#options = options;
    this.#body = body;
  }

  cancel(reason: Error): void {
    this.#cancel(reason);
  }

  answer({ retry = true } = {}): Promise<Answered> {
    return new Promise((resolve, reject) => {
      let begun = false;
      const sent = request(this.#options, (response) => {
        begun = true;
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > maxAnswerBytes) fail(new AnswerError(`the answer is longer than ${maxAnswerBytes} bytes`));
        });
        response.on("end", () =>
          resolve({
            code: response.statusCode ?? 0,
            contentType: response.headers["content-type"],
            body: Buffer.concat(chunks),
          }),
        );
        response.on("error", (error) => fail(unfinished(error)));
      });
      const fail = (error: Error): void => {
        reject(error);
        sent.destroy(error);
      };
      this.#cancel = (reason) => fail(begun ? unfinished(reason) : reason);
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (retry && !begun && sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE"))
          resolve(this.answer({ retry: false }));
        else reject(error);
      });
      sent.end(this.#body);
    });
  }
}

function unfinished(error: Error): AnswerError {
  return new AnswerError(
    `unexpected error when reading response body. Please retry. Original error: ${callFailure(error)}`,
  );
}
