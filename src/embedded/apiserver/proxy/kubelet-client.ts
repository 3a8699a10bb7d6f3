import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import type { Readable } from "node:stream";
import type { Node } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../language/object/meta.ts";
import { StatusError } from "../status-error.ts";
import { cutOff, type HttpResponse } from "../http/exchange.ts";

export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

const preferred = ["InternalIP", "InternalDNS", "Hostname", "ExternalIP", "ExternalDNS"];
const usualPort = 10_250;

/** The kubelet's address in the node's status. */
export function kubeletAddress(node: KubeObject): KubeletAddress {
  const { addresses = [], daemonEndpoints } = (node as Node).status ?? {};
  for (const type of preferred) {
    const found = addresses.find((address) => address.type === type);
    if (found) return { host: found.address, port: daemonEndpoints?.kubeletEndpoint?.Port || usualPort };
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
  throw new StatusError(500, "", `no preferred addresses found; known addresses: [${known}]`);
}

export interface KubeletRequest {
  readonly address: KubeletAddress;
  readonly method: string;
  readonly path: string;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: Readable | undefined;
  readonly signal: AbortSignal;
}

/** Sends requests to kubelets as the API server. */
export class KubeletClient {
  readonly #agent: Agent;

  constructor({ certPem, keyPem }: { readonly certPem: string; readonly keyPem: string }) {
    this.#agent = new Agent({ cert: certPem, key: keyPem, rejectUnauthorized: false, keepAlive: true });
  }

  /** Resolves with the head of the response. */
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

/** Go's message: `dial tcp 10.0.0.1:10250: connect: connection refused`. */
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

/** Streams a kubelet's response to the client. */
export function relay(from: IncomingMessage, to: HttpResponse, code: number, headers: OutgoingHttpHeaders): void {
  to.writeHead(code, headers as never);
  to.flushHeaders();
  // An incomplete body must not look complete.
  from.once("error", () => cutOff(to));
  to.once("close", () => from.destroy());
  from.pipe(to as NodeJS.WritableStream);
}

/** Aborts when the client closes the connection. */
export function whileConnected(response: HttpResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}
