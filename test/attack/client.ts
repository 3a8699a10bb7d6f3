import { Agent, request as httpsRequest } from "node:https";
import type { IncomingHttpHeaders } from "node:http";

export interface Sent {
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  /** Sends neither token nor certificate. */
  readonly nameless?: boolean;
  /** A body of unknown length. */
  readonly chunked?: boolean;
  /** Ends a stream once its text is enough. */
  readonly until?: (text: string) => boolean;
  readonly identity?: { readonly certPem: string; readonly keyPem: string };
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // The tests know what a response contains.
  readonly json: Answered;
}

/** Loosely typed on purpose: tests inspect any response. */
export interface Answered {
  kind: string;
  message: string;
  reason: string;
  code: number;
  metadata: Record<string, string> & { annotations: Record<string, string>; labels: Record<string, string> };
  items: Answered[];
  data: Record<string, string>;
  spec: Record<string, unknown>;
  status: unknown;
  [key: string]: unknown;
}

/** Sends requests byte for byte: paths are not normalised, bodies not checked. */
export class Client {
  readonly url: URL;
  readonly caPem: string;
  readonly token: string;
  readonly #agent: Agent;

  constructor({ url, caPem, token }: { url: string; caPem: string; token: string }) {
    this.url = new URL(url);
    this.caPem = caPem;
    this.token = token;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64, ca: caPem });
  }

  send(method: string, path: string, sent: Sent = {}): Promise<Received> {
    const { body, type, chunked, identity } = sent;
    const bytes =
      body === undefined || Buffer.isBuffer(body)
        ? body
        : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        {
          host: this.url.hostname,
          port: this.url.port,
          method,
          path,
          ca: this.caPem,
          agent: identity ? false : this.#agent,
          ...(identity ? { cert: identity.certPem, key: identity.keyPem } : {}),
          headers: {
            ...(identity || sent.nameless ? {} : { authorization: `Bearer ${sent.token ?? this.token}` }),
            ...(bytes === undefined ? {} : { "content-type": type ?? "application/json" }),
            ...(bytes === undefined
              ? {}
              : chunked
                ? { "transfer-encoding": "chunked" }
                : { "content-length": bytes.length }),
            ...sent.headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          const finish = (text: string): void =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              get json() {
                return JSON.parse(text) as Answered;
              },
            });
          let seen = "";
          response.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            if (!sent.until) return;
            seen += chunk.toString("utf8");
            if (!sent.until(seen)) return;
            finish(seen);
            response.destroy();
          });
          response.on("error", reject);
          response.on("end", () => finish(Buffer.concat(chunks).toString("utf8")));
        },
      );
      request.on("error", reject);
      request.end(bytes);
    });
  }

  get(path: string, sent?: Sent): Promise<Received> {
    return this.send("GET", path, sent);
  }

  post(path: string, body: unknown, sent?: Sent): Promise<Received> {
    return this.send("POST", path, { ...sent, body });
  }

  put(path: string, body: unknown, sent?: Sent): Promise<Received> {
    return this.send("PUT", path, { ...sent, body });
  }

  patch(kind: keyof typeof patchTypes, path: string, body: unknown, sent?: Sent): Promise<Received> {
    return this.send("PATCH", path, { ...sent, body, type: patchTypes[kind] });
  }

  delete(path: string, body?: unknown, sent?: Sent): Promise<Received> {
    return this.send("DELETE", path, { ...sent, ...(body === undefined ? {} : { body }) });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
