import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { makeCertificate, newKeyPair, privateKeyPem } from "../../../cluster/certificate/certificate.ts";

const DAY = 24 * 60 * 60 * 1000;

/** The webhook's response: the returned object as JSON, or what the function writes to `response` itself. */
export type Reply = (
  body: Record<string, unknown>,
  wire: { readonly request: IncomingMessage; readonly response: ServerResponse },
) => unknown;

export interface TestWebhookOptions {
  /** Names in its certificate. Default 127.0.0.1. */
  readonly names?: readonly string[];
  readonly notAfter?: number;
  readonly port?: number;
}

export interface TestWebhook {
  readonly url: string;
  readonly port: number;
  /** The CA of its certificate, PEM in base64. */
  readonly caBundle: string;
  /** The paths of requests, with query. */
  readonly asked: string[];
  /** How many connections it accepted. */
  connections(): number;
  reply: Reply;
  /** Closes all connections, but continues to listen. */
  hangUp(): void;
  close(): Promise<void>;
}

/** An HTTPS webhook with its own CA. If `reply` returns undefined and writes nothing, the request never gets a response. */
export async function startTestWebhook(reply: Reply, options: TestWebhookOptions = {}): Promise<TestWebhook> {
  const { names = ["127.0.0.1"], port = 0 } = options;
  const now = Date.now();
  const ca = newKeyPair();
  const keys = newKeyPair();
  const issuer = { commonName: "test-webhook-ca" };
  const span = { notBefore: now - 2 * DAY, notAfter: options.notAfter ?? now + DAY };
  const caPem = makeCertificate({
    ...span,
    notAfter: now + DAY,
    subject: issuer,
    issuer,
    publicKey: ca.publicKey,
    issuerKey: ca,
    purpose: "authority",
  });
  const cert = makeCertificate({
    ...span,
    subject: { commonName: "test-webhook" },
    issuer,
    publicKey: keys.publicKey,
    issuerKey: ca,
    purpose: "server",
    names,
  });
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ cert, key: privateKeyPem(keys.privateKey) }, (request, response) => {
    webhook.asked.push(request.url ?? "");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
      void answer(webhook.reply(body, { request, response }), response);
    });
  });
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const bound = (server.address() as AddressInfo).port;
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const webhook: TestWebhook = {
    url: `https://127.0.0.1:${bound}`,
    port: bound,
    caBundle: Buffer.from(caPem).toString("base64"),
    asked: [],
    connections: () => connections,
    reply,
    hangUp,
    close: () => {
      hangUp();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
  return webhook;
}

async function answer(reply: unknown, response: ServerResponse): Promise<void> {
  const object = await reply;
  if (object === undefined) return;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(object));
}
