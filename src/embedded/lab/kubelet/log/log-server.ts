import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeCertificate, newKeyPair, privateKeyPem } from "../../../../cluster/certificate/certificate.ts";
import type { Clock } from "../../../../cluster/runtime/clock.ts";
import type { Log } from "../../../../cluster/runtime/log/log.ts";
import type { Host } from "../../../../node/host/host.ts";
import type { ContainerLog } from "../container/container-log.ts";
import { filesPath } from "./files-path.ts";
import type { LogAccess } from "./log-access.ts";
import { formatLine, readLogQuery, selectLines, type LogQuery } from "./log-query.ts";
import type { PodRun } from "../pod/pod-run.ts";

export interface LogServerOptions {
  readonly find: (namespace: string, pod: string) => PodRun | undefined;
  /** The files of a virtual machine. */
  readonly host: (node: string) => Pick<Host, "read" | "list" | "real"> | undefined;
  access: Pick<LogAccess, "of">;
  /** PEM of the authority that signs client certificates. */
  clientAuthority: string | undefined;
  clock: Clock;
  log: Log;
  /** Default 0: a free one. */
  port?: number;
}

export interface LogServer {
  readonly port: number;
  close(): Promise<void>;
}

const year = 365 * 24 * 3600 * 1000;

/** Serves `kubectl logs` for all nodes of a process, and the files of their machines. */
export async function startLogServer(options: LogServerOptions): Promise<LogServer> {
  const { clientAuthority, clock, log } = options;
  const server = createServer(
    {
      ...servingIdentity(clock.now()),
      requestCert: true,
      // A bearer token is accepted as well.
      rejectUnauthorized: false,
      ...(clientAuthority === undefined ? {} : { ca: clientAuthority }),
    },
    (request, response) => {
      answer(request, response, options).catch((error: unknown) => {
        log.warn({ error }, "failed to serve a log");
        if (!response.headersSent) response.writeHead(500);
        response.end();
      });
    },
  );
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Self-signed, as a kubelet's by default. */
function servingIdentity(now: number): { cert: string; key: string } {
  const keys = newKeyPair();
  const subject = { commonName: "attune-lab" };
  const cert = makeCertificate({
    subject,
    issuer: subject,
    publicKey: keys.publicKey,
    issuerKey: keys,
    purpose: "server",
    names: ["localhost", "127.0.0.1"],
    notBefore: now - 3600_000,
    notAfter: now + 10 * year,
  });
  return { cert, key: privateKeyPem(keys.privateKey) };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: LogServerOptions): Promise<void> {
  const url = new URL(request.url ?? "/", "https://localhost");
  if (request.method !== "GET") return refuse(response, 405, "method not allowed");
  if (url.pathname === "/healthz") return void response.end("ok");
  if (url.pathname.startsWith(filesPath)) return answerFile(url, request, response, options);
  const [folder, ...parts] = url.pathname.slice(1).split("/");
  const [namespace, name, container] = parts.map(decoded);
  if (folder !== "containerLogs" || parts.length !== 3 || !namespace || !name || !container)
    return refuse(response, 404, "404 page not found");
  const run = options.find(namespace, name);
  const access = await options.access.of(request, run?.node.name ?? "");
  if (access.type === "unknown") return refuse(response, 401, "Unauthorized");
  if (access.type === "denied") return refuse(response, 403, access.message);
  if (!run) return refuse(response, 404, `pod "${name}" not found`);
  const one = run.container(container);
  if (!one) return refuse(response, 404, `container "${container}" not found in pod "${name}"`);
  let query: LogQuery;
  try {
    query = readLogQuery(url.searchParams, options.clock.now());
  } catch (error) {
    if (error instanceof RangeError) return refuse(response, 400, error.message);
    throw error;
  }
  if (query.previous && !one.last)
    return refuse(response, 400, `previous terminated container "${container}" in pod "${name}" not found`);
  // While it waits for its restart, the latest run is the previous one.
  const previous = one.state.type === "waiting" ? one.log : one.previousLog;
  response.writeHead(200, { "content-type": "text/plain" });
  const log = query.previous ? previous : one.log;
  if (log) await send(response, log, query);
  else if (query.follow && one.running) await closed(response);
  response.end();
}

/** `/machineFiles/NODE?path=PATH`: one port serves all machines, so the node is named. */
async function answerFile(
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  options: LogServerOptions,
): Promise<void> {
  const node = decoded(url.pathname.slice(filesPath.length));
  const access = await options.access.of(request, node);
  if (access.type === "unknown") return refuse(response, 401, "Unauthorized");
  if (access.type === "denied") return refuse(response, 403, access.message);
  const host = options.host(node);
  if (!host) return refuse(response, 404, `no virtual node "${node}" runs in this lab`);
  const path = url.searchParams.get("path") ?? "";
  if (!path.startsWith("/")) return refuse(response, 400, `path "${path}" is not absolute`);
  const file = await host.read(path);
  const real = await host.real(path);
  if (file.type === "text") return json(response, { text: file.text, real });
  const names = await host.list(path);
  if (names.length > 0 || real !== path) return json(response, { names, real });
  const why = file.type === "missing" ? "no such file" : file.message;
  return refuse(response, 404, `${path} on node ${node}: ${why}`);
}

function json(response: ServerResponse, answer: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}

/** Sends the log, then follows it at the reader's pace: a slow reader misses lines and costs no memory. */
async function send(response: ServerResponse, log: ContainerLog, query: LogQuery): Promise<void> {
  let left = query.limitBytes ?? Infinity;
  let seen = log.written;
  let lines = selectLines(log.lines(), query);
  let gone = false;
  let wake = (): void => {};
  const onGone = (): void => {
    gone = true;
    wake();
  };
  response.once("close", onGone);
  const unfollow = log.follow(() => wake());
  try {
    for (;;) {
      for (const line of lines) {
        const bytes = Buffer.from(formatLine(line, query));
        if (!response.write(bytes.subarray(0, left)) && !gone)
          await new Promise<void>((resolve) => {
            wake = resolve;
            response.once("drain", resolve);
          });
        left -= bytes.length;
        if (left <= 0 || gone) return;
      }
      ({ lines, seen } = log.after(seen));
      if (lines.length > 0) continue;
      if (!query.follow || log.closed || gone) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    unfollow();
    response.off("close", onGone);
  }
}

async function closed(response: ServerResponse): Promise<void> {
  response.flushHeaders();
  await once(response, "close");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { "content-type": "text/plain" });
  response.end(`${message}\n`);
}
