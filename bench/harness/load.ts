import { HttpConnection, type Reply, requestBytes } from "./http-connection.ts";
import type { BenchServer } from "./servers.ts";

/** A wrong result, as opposed to a slow one: a request failed or an event was lost. */
export class WrongError extends Error {
  override readonly name = "WrongError";
}

export interface Load {
  readonly seconds: number;
  readonly perSecond: number;
  readonly bytes: number;
  readonly last: Reply | undefined;
}

export function openConnections(server: BenchServer, count: number): Promise<HttpConnection[]> {
  return Promise.all(Array.from({ length: count }, () => HttpConnection.open(server)));
}

/** Sends the requests as fast as the connections take them. Every response must have the status `expected`. */
export async function drive(
  connections: readonly HttpConnection[],
  requests: readonly Buffer[],
  expected: number,
): Promise<Load> {
  let next = 0;
  let bytes = 0;
  let last: Reply | undefined;
  const started = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      for (let request = requests[next++]; request; request = requests[next++]) {
        last = await connection.send(request);
        if (last.status !== expected) throw wrongStatus(request, last, expected);
        for (const piece of last.pieces) bytes += piece.length;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  return { seconds, perSecond: requests.length / seconds, bytes, last };
}

/** Creates ConfigMaps named `PREFIX0`, `PREFIX1`, … */
export async function fill(
  server: BenchServer,
  connections: readonly HttpConnection[],
  { namespace, prefix, count, size }: { namespace: string; prefix: string; count: number; size: number },
): Promise<Load> {
  const requests = Array.from({ length: count }, (_, i) =>
    requestBytes(server, {
      method: "POST",
      path: configMapsPath(namespace),
      body: configMap(`${prefix}${i}`, size),
    }),
  );
  return drive(connections, requests, 201);
}

export async function makeNamespace(server: BenchServer, connection: HttpConnection, name: string): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await drive([connection], [requestBytes(server, { method: "POST", path: "/api/v1/namespaces", body })], 201);
}

export function jsonOf(reply: Reply | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.concat(reply?.pieces ?? []).toString("utf8")) as Record<string, unknown>;
}

function wrongStatus(request: Buffer, reply: Reply, expected: number): WrongError {
  const line = request.toString("latin1", 0, request.indexOf("\r\n"));
  const body = Buffer.concat(reply.pieces).toString("utf8", 0, 500);
  return new WrongError(`${line}: expected ${expected}, got ${reply.status}: ${body}`);
}

/** A ConfigMap that has about `size` bytes as JSON. */
export function configMap(name: string, size: number): string {
  const empty = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { app: "bench" } }, data: {} };
  const payload = Math.max(16, size - JSON.stringify(empty).length);
  // Keys and lines of realistic length: one value of 12 KB would be less work for a server.
  const data: Record<string, string> = {};
  for (let done = 0, key = 0; done < payload; key++) {
    const length = Math.min(512, payload - done);
    data[`file-${key}.conf`] = line(name, key)
      .repeat(Math.ceil(length / 64))
      .slice(0, length);
    done += length + 20;
  }
  return JSON.stringify({ ...empty, data });
}

function line(name: string, key: number): string {
  return `${name}.${key}=${"0123456789abcdef".repeat(4)}`.slice(0, 63) + "\n";
}

export function configMapsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}
