import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type ApiServer } from "../server.ts";

let dir: string;
let server: ApiServer;
let kubelet: Server;
/** The kubelet's handler; each test sets its own. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;

const pods = "/api/v1/namespaces/default/pods";
const container = (name: string) => ({ name, image: "i" });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-proxy-"));
  server = await startServer({ dir, storage: "memory", housekeeping: false });
  const { certPem, keyPem } = server.authority.issue({ commonName: "n", purpose: "server", names: ["127.0.0.1"] });
  kubelet = createServer(
    { cert: certPem, key: keyPem, ca: server.authority.caPem, requestCert: true, rejectUnauthorized: true },
    (incoming, outgoing) => answer(incoming, outgoing),
  ).listen(0, "127.0.0.1");
  await once(kubelet, "listening");
  await ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  await node("here", [{ type: "InternalIP", address: "127.0.0.1" }], (kubelet.address() as AddressInfo).port);
  await node("nowhere", []);
  await node("closed", [{ type: "InternalIP", address: "127.0.0.1" }], 1);
  await pod("one", { nodeName: "here", containers: [container("a")] });
  await pod("two", {
    nodeName: "here",
    containers: [container("a"), container("b")],
    initContainers: [container("c")],
  });
  await pod("unplaced", { containers: [container("a")] });
  await pod("orphaned", { nodeName: "gone", containers: [container("a")] });
  await pod("unreachable", { nodeName: "closed", containers: [container("a")] });
  await pod("addressless", { nodeName: "nowhere", containers: [container("a")] });
});
afterAll(async () => {
  kubelet.closeAllConnections();
  kubelet.close();
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

async function node(name: string, addresses: object[], port = 10_250): Promise<void> {
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await ask("POST", "/api/v1/nodes", { metadata: { name }, status });
}

async function pod(name: string, spec: object): Promise<void> {
  await ask("POST", pods, { metadata: { name }, spec: { ...spec, automountServiceAccountToken: false } });
}

interface Answered {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

function open(method: string, path: string, body?: object): Promise<IncomingMessage> {
  const { caPem, adminToken } = server.authority;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, {
      method,
      ca: caPem,
      agent: false,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    });
    outgoing.on("response", resolve).on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function ask(method: string, path: string, body?: object): Promise<Answered> {
  const response = await open(method, path, body);
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += String(piece);
  return { code: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text };
}

async function refusal(path: string): Promise<string> {
  const { code, text } = await ask("GET", path);
  return `${code} ${(JSON.parse(text) as { message: string }).message}`;
}

it("passes the log options to the kubelet, as the API server's user", async () => {
  let seen = "";
  answer = ({ url, socket, headers }, response) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    seen = `${String(subject.CN)} ${url} ${headers.authorization ?? "no token"}`;
    response.end("hello\n");
  };
  const query =
    "follow=true&tailLines=3&limitBytes=9&sinceSeconds=5&timestamps=true&previous=1&pretty=true&container=a";
  expect(await ask("GET", `${pods}/one/log?${query}`)).toEqual({ code: 200, type: "text/plain", text: "hello\n" });
  expect(seen).toBe(
    "system:kube-apiserver /containerLogs/default/one/a?follow=true&previous=true&timestamps=true&limitBytes=9&sinceSeconds=5&tailLines=3 no token",
  );
});

it.each([
  ["none/log", '404 pods "none" not found'],
  ["two/log", "400 a container name must be specified for pod two, choose one of: [c a b]"],
  ["two/log?container=x", "400 container x is not valid for pod two"],
  ["one/log?tailLines=x", '400 strconv.ParseInt: parsing "x": invalid syntax'],
  [
    "one/log?tailLines=-1",
    '422 PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    "one/log?limitBytes=0&sinceSeconds=0",
    '422 PodLogOptions "one" is invalid: [limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0]',
  ],
  [
    "one/log?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z",
    '422 PodLogOptions "one" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  ],
  ["orphaned/log", '404 pods "gone" not found'],
  ["addressless/log", "500 no preferred addresses found; known addresses: []"],
  [
    "unreachable/log",
    '500 Get "https://127.0.0.1:1/containerLogs/default/unreachable/a": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
])("refuses %s", async (path, words) => {
  expect(await refusal(`${pods}/${path}`)).toBe(words);
});

it("answers 204 for a pod without a node", async () => {
  expect((await ask("GET", `${pods}/unplaced/log`)).code).toBe(204);
});

it.each([
  [400, "previous terminated container not found", "400 previous terminated container not found"],
  [404, "whatever", "404 the server could not find the requested resource ( pods/log one)"],
  [500, "broken", "500 Internal error occurred: broken"],
])("passes a refusal of the kubelet on as its own: %i", async (code, text, words) => {
  answer = (_, response) => response.writeHead(code).end(text);
  expect(await refusal(`${pods}/one/log`)).toBe(words);
});

it("allows only get on a log", async () => {
  expect((await ask("POST", `${pods}/one/log`)).code).toBe(405);
});

it("streams a log, and closes the kubelet's connection when the client closes its own", async () => {
  let left: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (left = resolve));
  answer = (_, response) => {
    response.once("close", () => left?.());
    response.write("first\n");
  };
  const response = await open("GET", `${pods}/one/log?follow=true`);
  const [piece] = (await once(response, "data")) as [Buffer];
  expect(String(piece)).toBe("first\n");
  response.destroy();
  await gone;
});

it("aborts a response that the kubelet does not complete", async () => {
  answer = (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.destroy());
  };
  await expect(ask("GET", `${pods}/one/log`)).rejects.toThrow();
});

it("passes any request to a node's kubelet, with body and query, without credentials", async () => {
  answer = (incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const { method, url, headers } = incoming;
      response.writeHead(418, { "content-type": "text/x-tea", "x-own": "1" });
      response.end(`${method} ${url} ${String(Buffer.concat(pieces))} ${headers.authorization ?? "no token"}`);
    });
  };
  expect(await ask("POST", "/api/v1/nodes/here/proxy/run/a%20b?x=/y", { a: 1 })).toEqual({
    code: 418,
    type: "text/x-tea",
    text: 'POST /run/a%20b?x=/y {"a":1} no token',
  });
  expect((await ask("GET", "/api/v1/nodes/here/proxy?x=1")).text).toBe("GET /?x=1  no token");
});

it.each([
  ["none", '404 nodes "none" not found'],
  ["nowhere", "500 no preferred addresses found; known addresses: []"],
  ["https:here:22", "400 address not allowed"],
  ["http:here:22", '400 invalid node request "http:here:22"'],
  ["closed", "503 error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused"],
])("hands nothing on to node %s", async (name, words) => {
  expect(await refusal(`/api/v1/nodes/${name}/proxy/healthz`)).toBe(words);
});
