import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Readable } from "node:stream";
import type { KubeletAddress } from "./kubelet-address.ts";

export interface KubeletRequest {
  readonly address: KubeletAddress;
  readonly method: string;
  readonly path: string;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: Readable;
  readonly signal: AbortSignal;
}

/** Asks kubelets, as the server itself. */
export class KubeletClient {
  readonly #agent: Agent;

  constructor({ certPem, keyPem }: { readonly certPem: string; readonly keyPem: string }) {
    this.#agent = new Agent({ cert: certPem, key: keyPem, rejectUnauthorized: false, keepAlive: true });
  }

  /** Resolves with the head of the answer. */
  send({ address, method, path, headers = {}, body, signal }: KubeletRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        agent: this.#agent,
        host: address.host,
        port: address.port,
        method,
        path,
        headers,
        signal,
      });
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
      if (body) body.pipe(outgoing);
      else outgoing.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** `dial tcp 10.0.0.1:10250: connect: connection refused`, which users have seen before. */
export function whyUnreachable(error: unknown, { host, port }: KubeletAddress): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : reasons[code];
  return known === undefined ? message : `dial tcp ${host.includes(":") ? `[${host}]` : host}:${port}: ${known}`;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "i/o timeout",
};
