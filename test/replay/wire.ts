import { request as httpsRequest, type RequestOptions } from "node:https";

/** A server, with an admin's token. */
export interface Target {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly headers?: Record<string, string>;
  /** `none` sends no credentials. */
  readonly token?: string;
  readonly body?: unknown;
}

export interface WireResponse {
  readonly status: number;
  readonly contentType: string;
  readonly warning: string | undefined;
  readonly text: string;
}

/** Sends one request exactly as given. `until` ends a stream early. */
export function send(target: Target, wire: WireRequest, until?: (text: string) => boolean): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const body =
      wire.body === undefined ? undefined : typeof wire.body === "string" ? wire.body : JSON.stringify(wire.body);
    const options: RequestOptions = {
      method: wire.method,
      ca: target.caPem,
      agent: false,
      headers: {
        accept: wire.accept ?? "application/json",
        ...(wire.token === "none" ? {} : { authorization: `Bearer ${wire.token ?? target.token}` }),
        ...(wire.contentType ? { "content-type": wire.contentType } : {}),
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
        ...wire.headers,
      },
    };
    const request = httpsRequest(new URL(wire.path, target.url), options, (response) => {
      let text = "";
      const finish = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers["content-type"] ?? "",
          warning: response.headers.warning,
          text,
        });
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (until?.(text)) {
          response.destroy();
          finish();
        }
      });
      response.on("end", finish);
      response.on("error", (error) => (until ? finish() : reject(error)));
      if (until?.(text)) {
        response.destroy();
        finish();
      }
    });
    request.on("error", reject);
    request.end(body);
  });
}
