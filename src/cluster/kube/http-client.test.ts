import { getEventListeners, once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { VirtualClock } from "../runtime/testing/virtual-clock.ts";
import { isGone, isNotFound, isTimeout, isTooManyRequests, isUnreachable } from "./api-error.ts";
import type { Impersonation } from "./connect/connection.ts";
import { type Credentials, bearer, staticCredentials } from "./connect/credentials.ts";
import { type HttpClientOptions, HttpClient } from "./http-client.ts";
import { kinds } from "./kinds.ts";
import type { RequestRecord } from "./requester.ts";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: unknown;
}

type Responder = (request: Seen, response: ServerResponse) => void;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

interface Setup extends HttpClientOptions {
  credentials?: Credentials;
  impersonate?: Impersonation;
}

/** A server that responds with the given functions in turn, then always with the last one, and a client for it. */
async function served(
  answers: Responder[],
  { credentials = staticCredentials({}), impersonate, ...options }: Setup = {},
) {
  const seen: Seen[] = [];
  const records: RequestRecord[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
      seen.push(one);
      answers[Math.min(seen.length, answers.length) - 1]?.(one, response);
    });
  });
  const { port } = await listening(server);
  const connection = {
    cluster: { server: `http://127.0.0.1:${port}` },
    credentials,
    impersonate,
    namespace: "default",
    name: "test",
  };
  const client = new HttpClient(connection, { onRequest: (record) => records.push(record), ...options });
  closing.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, seen, records, server, codes: () => records.map(({ code }) => code) };
}

async function listening(server: Server): Promise<AddressInfo> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address() as AddressInfo;
}

function json(code: number, body: unknown, headers: Record<string, string> = {}): Responder {
  return (_, response) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

function failure(code: number, reason: string, headers?: Record<string, string>): Responder {
  return json(
    code,
    { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `it is ${reason}` },
    headers,
  );
}

function configMap(name: string): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "n" } };
}

const ok = json(200, configMap("a"));

describe("each call sends the right request", () => {
  const object = configMap("a");
  const namespace = "n";
  test.each<[string, (client: HttpClient) => Promise<unknown>, string, unknown?, string?]>([
    [
      "get",
      (c) => c.get(kinds.configMap, "a", { namespace, resourceVersion: "5" }),
      "GET /api/v1/namespaces/n/configmaps/a?resourceVersion=5",
    ],
    [
      "get scale",
      (c) => c.get(kinds.deployment, "a", { namespace, subresource: "scale" }),
      "GET /apis/apps/v1/namespaces/n/deployments/a/scale",
    ],
    [
      "create",
      (c) => c.create(kinds.configMap, object, { dryRun: true }),
      "POST /api/v1/namespaces/n/configmaps?dryRun=All",
      object,
    ],
    [
      "create a subresource",
      (c) => c.create(kinds.tokenRequest, object, { name: "sa", subresource: "token" }),
      "POST /api/v1/namespaces/n/serviceaccounts/sa/token",
      object,
    ],
    [
      "update",
      (c) => c.update(kinds.configMap, object, { fieldManager: "m", fieldValidation: "Strict" }),
      "PUT /api/v1/namespaces/n/configmaps/a?fieldManager=m&fieldValidation=Strict",
      object,
    ],
    [
      "update status",
      (c) => c.update(kinds.pod, object, { subresource: "status" }),
      "PUT /api/v1/namespaces/n/pods/a/status",
      object,
    ],
    [
      "JSON patch",
      (c) =>
        c.patch(kinds.configMap, "a", { type: "json", operations: [{ op: "remove", path: "/data" }] }, { namespace }),
      "PATCH /api/v1/namespaces/n/configmaps/a",
      [{ op: "remove", path: "/data" }],
      "application/json-patch+json",
    ],
    [
      "merge patch",
      (c) => c.patch(kinds.configMap, "a", { type: "merge", patch: { data: null } }, { namespace }),
      "PATCH /api/v1/namespaces/n/configmaps/a",
      { data: null },
      "application/merge-patch+json",
    ],
    [
      "strategic merge patch",
      (c) => c.patch(kinds.node, "a", { type: "strategic", patch: { spec: {} } }, { subresource: "status" }),
      "PATCH /api/v1/nodes/a/status",
      { spec: {} },
      "application/strategic-merge-patch+json",
    ],
    [
      "apply",
      (c) => c.patch(kinds.configMap, "a", { type: "apply", object, force: true }, { namespace, fieldManager: "m" }),
      "PATCH /api/v1/namespaces/n/configmaps/a?fieldManager=m&force=true",
      object,
      "application/apply-patch+yaml",
    ],
    [
      "delete",
      (c) =>
        c.delete(kinds.configMap, "a", {
          namespace,
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          preconditions: { uid: "u" },
        }),
      "DELETE /api/v1/namespaces/n/configmaps/a",
      {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: "Foreground",
        gracePeriodSeconds: 0,
        preconditions: { uid: "u" },
      },
    ],
    ["raw", (c) => c.raw("GET", "/apis"), "GET /apis"],
  ])("%s", async (_, call, line, body, contentType) => {
    const { client, seen } = await served([ok]);
    await call(client);
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([line]);
    expect(seen[0]?.body).toEqual(body);
    expect(seen[0]?.headers["user-agent"]).toMatch(/^attune\/\d/);
    if (body !== undefined) expect(seen[0]?.headers["content-type"]).toBe(contentType ?? "application/json");
  });

  test("impersonation is sent in headers", async () => {
    const impersonate = { user: "bob", groups: ["a", "b"], uid: "7", extra: { "example.com/Scope": ["x", "y"] } };
    const { client, seen } = await served([ok], { impersonate, credentials: staticCredentials(bearer("t")) });
    await client.raw("GET", "/");
    expect(seen[0]?.headers).toMatchObject({
      authorization: "Bearer t",
      "impersonate-user": "bob",
      "impersonate-group": "a, b",
      "impersonate-uid": "7",
      "impersonate-extra-example.com%2fscope": "x, y",
    });
  });

  test("one account impersonates many users over the same sockets, with the same options", async () => {
    const { client, seen, records } = await served([ok], {
      credentials: staticCredentials(bearer("t")),
      maxSockets: 1,
    });
    const [a, b] = [client.as({ user: "a", groups: ["g"] }), client.as({ user: "b" })];
    for (const one of [a, b, client, a.as({ user: "c" })]) await one.raw("GET", "/");
    expect(seen.map(({ headers }) => headers["impersonate-user"])).toEqual(["a", "b", undefined, "c"]);
    expect(seen.map(({ headers }) => headers["impersonate-group"])).toEqual(["g", undefined, undefined, undefined]);
    expect(seen.every(({ headers }) => headers["authorization"] === "Bearer t")).toBe(true);
    expect(records).toHaveLength(4);
    expect([client.sockets, a.sockets]).toEqual([1, 1]);
    const other = client.for({ ...client.connection, credentials: staticCredentials(bearer("u")) });
    await other.raw("GET", "/");
    expect(seen.at(-1)?.headers["authorization"]).toBe("Bearer u");
    expect(client.sockets).toBe(1);
    b.close();
    expect(client.sockets).toBe(0);
  });
});

describe("responses", () => {
  test("an error status is an ApiError with the server's message", async () => {
    const { client, records } = await served([failure(404, "NotFound")]);
    const error = await client.get(kinds.node, "x").catch((error: unknown) => error);
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({ message: "it is NotFound", request: "GET /api/v1/nodes/x" });
    expect(records).toMatchObject([{ method: "GET", code: "404" }]);
  });

  test("plain text is returned as it is", async () => {
    const { client } = await served([(_, response) => response.end("ok")]);
    expect(await client.raw("GET", "/readyz")).toBe("ok");
  });

  test("an ignored response is awaited but not parsed, and an error status still throws", async () => {
    const { client, seen } = await served([
      (_, response) => void response.writeHead(201, { "content-type": "application/json" }).end("{"),
      failure(409, "AlreadyExists"),
    ]);
    const object = configMap("a");
    const create = (): Promise<KubeObject> =>
      client.create<KubeObject>(kinds.configMap, object, { ignoreResponse: true });
    expect(await create()).toBe(object);
    await expect(create()).rejects.toThrow("it is AlreadyExists");
    expect(seen).toHaveLength(2);
  });

  test("warnings are passed on", async () => {
    const warnings: string[] = [];
    const header = { warning: '299 - "old \\"thing\\"", 299 - "and, more"' };
    const { client } = await served([json(200, {}, header)], { onWarning: (text) => warnings.push(text) });
    await client.raw("GET", "/");
    expect(warnings).toEqual(['old "thing"', "and, more"]);
  });

  test("without a server the message names the request", async () => {
    const { client, server, codes } = await served([ok]);
    server.close();
    const error = await client.get(kinds.node, "x").catch((error: unknown) => error);
    expect(isUnreachable(error)).toBe(true);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^GET \/api\/v1\/nodes\/x at 127.0.0.1:\d+: .*ECONNREFUSED/),
    });
    expect(codes()).toEqual(["<error>"]);
  });
});

describe("waiting ends", () => {
  test("at the deadline", async () => {
    const clock = new VirtualClock();
    const { client, server } = await served([() => {}], { clock });
    const asked = client.get(kinds.node, "x", { timeoutMs: 700 }).catch((error: unknown) => error);
    await once(server, "request");
    await clock.advance(700);
    expect(isTimeout(await asked)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test("at the deadline, even during the response", async () => {
    const clock = new VirtualClock();
    const { client, server } = await served([(_, response) => void response.writeHead(200).write("{")], { clock });
    const asked = client.get(kinds.node, "x").catch((error: unknown) => error);
    await once(server, "request");
    await clock.advance(60_000);
    expect(isTimeout(await asked)).toBe(true);
  });

  test("when the caller aborts, with the caller's reason and no listener left", async () => {
    const { client, server } = await served([() => {}]);
    const abort = new AbortController();
    const asked = client.get(kinds.node, "x", { signal: abort.signal }).catch((error: unknown) => error);
    await once(server, "request");
    const reason = new Error("enough");
    abort.abort(reason);
    expect(await asked).toBe(reason);
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  test("before it begins, when the caller has already aborted", async () => {
    const { client, seen } = await served([ok]);
    await expect(client.get(kinds.node, "x", { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    expect(seen).toEqual([]);
  });
});

describe("a request is sent again", () => {
  test.each(["GET", "POST", "PATCH", "DELETE"])("after the time that the server requests: %s", async (method) => {
    const clock = new VirtualClock();
    const { client, codes } = await served([failure(429, "TooManyRequests", { "retry-after": "7" }), ok], { clock });
    const asked = client.raw(method, "/x");
    await expect.poll(codes).toEqual(["429"]);
    await clock.advance(6999);
    expect(codes()).toEqual(["429"]);
    await clock.advance(1);
    await asked;
    expect(codes()).toEqual(["429", "200"]);
  });

  test("a limited number of times, with a longest wait", async () => {
    const clock = new VirtualClock();
    const options = { clock, maxThrottles: 2, maxThrottleMs: 1000 };
    const { client, codes } = await served([failure(429, "TooManyRequests", { "retry-after": "3600" })], options);
    const asked = client.raw("GET", "/x").catch((error: unknown) => error);
    for (const count of [1, 2, 3]) {
      await expect.poll(() => codes().length).toBe(count);
      await clock.advance(1000);
    }
    const error = await asked;
    expect(isTooManyRequests(error) && error.retryAfterMs).toBe(3_600_000);
  });

  test("not for a 429 without Retry-After, for example of an eviction that is not allowed", async () => {
    const { client, codes } = await served([failure(429, "TooManyRequests"), ok]);
    await expect(client.raw("POST", "/x")).rejects.toThrow("it is TooManyRequests");
    expect(codes()).toEqual(["429"]);
  });

  test("not for a 503", async () => {
    const { client, codes } = await served([failure(503, "ServiceUnavailable", { "retry-after": "1" }), ok]);
    await expect(client.raw("GET", "/x")).rejects.toThrow("it is ServiceUnavailable");
    expect(codes()).toEqual(["503"]);
  });

  test.each(["GET", "POST"])("once with new credentials, if there are any: %s", async (method) => {
    const tokens = ["old", "new", "newer"];
    const credentials = { current: async () => bearer(tokens[0] ?? ""), reject: () => tokens.shift() !== undefined };
    const { client, seen, codes } = await served([failure(401, "Unauthorized"), ok], { credentials });
    await client.raw(method, "/x");
    expect(codes()).toEqual(["401", "200"]);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
  });

  test("only once with new credentials", async () => {
    const credentials = { current: async () => bearer("bad"), reject: () => true };
    const { client, codes } = await served([failure(401, "Unauthorized")], { credentials });
    await expect(client.raw("GET", "/x")).rejects.toThrow("it is Unauthorized");
    expect(codes()).toEqual(["401", "401"]);
  });

  const reset: Responder = (_, response) => response.socket?.resetAndDestroy();

  test("when a reused connection was closed: a GET", async () => {
    const { client, codes } = await served([ok, reset, ok]);
    await client.raw("GET", "/1");
    await client.raw("GET", "/2");
    expect(codes()).toEqual(["200", "<error>", "200"]);
  });

  test("but never a write, which may have happened", async () => {
    const { client, codes } = await served([ok, reset, ok]);
    await client.raw("GET", "/1");
    expect(isUnreachable(await client.raw("POST", "/2").catch((error: unknown) => error))).toBe(true);
    expect(codes()).toEqual(["200", "<error>"]);
  });

  test("and not on a new connection", async () => {
    const { client, codes } = await served([reset]);
    await expect(client.raw("GET", "/1")).rejects.toThrow();
    expect(codes()).toEqual(["<error>"]);
  });
});

describe("a list", () => {
  const page = (names: string[], next?: string): Responder =>
    json(200, {
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "9", ...(next ? { continue: next, remainingItemCount: 1 } : {}) },
      items: names.map((name) => ({ metadata: { name } })),
    });

  test("follows its pages to the end, and adds kind and apiVersion to items", async () => {
    const { client, seen } = await served([page(["a", "b"], "t/1"), page(["c"], "t/2"), page(["d"])]);
    const list = await client.list(kinds.configMap, {
      pageSize: 2,
      labelSelector: "a=b",
      resourceVersion: "5",
      resourceVersionMatch: "Exact",
    });
    expect(list.items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      ["a", "b", "c", "d"].map((name) => `ConfigMap ${name}`),
    );
    expect(list.metadata).toEqual({ resourceVersion: "9" });
    expect(seen.map(({ url }) => url)).toEqual([
      "/api/v1/configmaps?labelSelector=a%3Db&limit=2&resourceVersion=5&resourceVersionMatch=Exact",
      "/api/v1/configmaps?labelSelector=a%3Db&limit=2&continue=t%2F1",
      "/api/v1/configmaps?labelSelector=a%3Db&limit=2&continue=t%2F2",
    ]);
  });

  test("whose continue token expired starts again without pages", async () => {
    const { client, seen } = await served([page(["a"], "t"), failure(410, "Expired"), page(["a", "b", "c"])]);
    expect((await client.list(kinds.configMap)).items).toHaveLength(3);
    expect(seen[2]?.url).toBe("/api/v1/configmaps");
  });

  test("whose first page gets 410 fails with it", async () => {
    const { client, seen } = await served([failure(410, "Expired")]);
    expect(isGone(await client.list(kinds.configMap, { resourceVersion: "1" }).catch((error: unknown) => error))).toBe(
      true,
    );
    expect(seen).toHaveLength(1);
  });

  test("that is cut off is an error", async () => {
    const { client } = await served([
      (_, response) => void response.writeHead(200).write('{"items":[', () => response.socket?.destroy()),
    ]);
    expect(isUnreachable(await client.list(kinds.configMap).catch((error: unknown) => error))).toBe(true);
  });

  test("without items is empty", async () => {
    const { client } = await served([
      json(200, { kind: "ConfigMapList", apiVersion: "v1", metadata: {}, items: null }),
    ]);
    expect((await client.list(kinds.configMap)).items).toEqual([]);
  });
});

describe("a watch", () => {
  const line = (type: string, name: string): string => `${JSON.stringify({ type, object: configMap(name) })}\n`;

  test("sends its options, and yields each event until the end", async () => {
    const { client, seen } = await served([
      (_, response) => void response.end(line("ADDED", "a") + line("DELETED", "b")),
    ]);
    const events: string[] = [];
    for await (const { type } of client.watch(kinds.configMap, {
      resourceVersion: "5",
      allowWatchBookmarks: true,
      timeoutSeconds: 9,
    }))
      events.push(type);
    expect(events).toEqual(["ADDED", "DELETED"]);
    expect(seen[0]?.url).toBe(
      "/api/v1/configmaps?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=9",
    );
  });

  test("with initial events sends the options that they need", async () => {
    const { client, seen } = await served([(_, response) => void response.end()]);
    for await (const event of client.watch(kinds.node, { sendInitialEvents: true })) expect(event).toBeUndefined();
    expect(seen[0]?.url).toBe(
      "/api/v1/nodes?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    );
  });

  test("yields errors in the stream as events", async () => {
    const { client } = await served([(_, response) => void response.end('{"type":"ERROR","object":{"code":410}}\n')]);
    const events: unknown[] = [];
    for await (const event of client.watch(kinds.node)) events.push(event);
    expect(events).toEqual([{ type: "ERROR", object: { code: 410 } }]);
  });

  test("that is refused throws", async () => {
    const { client } = await served([failure(410, "Expired")]);
    await expect(client.watch(kinds.node)[Symbol.asyncIterator]().next()).rejects.toThrow("it is Expired");
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["by a reset", (response) => void response.write(line("ADDED", "a"), () => response.socket?.resetAndDestroy())],
    ["inside an event", (response) => void response.end(`${line("ADDED", "a")}{"type":"ADD`)],
  ])("that is broken %s throws after what came before", async (_, answer) => {
    const { client } = await served([(_request, response) => answer(response)]);
    const events: unknown[] = [];
    const watching = async (): Promise<void> => {
      for await (const event of client.watch(kinds.node)) events.push(event);
    };
    const error = await watching().catch((error: unknown) => error);
    expect(isUnreachable(error)).toBe(true);
    expect(events.length).toBeLessThanOrEqual(1);
  });

  test("that is aborted ends without an error and closes its connection", async () => {
    const { client, server } = await served([(_, response) => void response.write(line("ADDED", "a"))]);
    const closed = once(server, "connection").then(async ([socket]) => once(socket as NodeJS.EventEmitter, "close"));
    const abort = new AbortController();
    const events: unknown[] = [];
    for await (const event of client.watch(kinds.node, { signal: abort.signal })) {
      events.push(event);
      abort.abort();
    }
    await closed;
    expect(events).toHaveLength(1);
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });

  test("that the caller does not read applies backpressure to the server", async () => {
    let held = false;
    const { client } = await served([
      (_, response) => {
        const write = (): void => {
          for (let i = 0; i < 10_000; i++)
            if (!response.write(line("ADDED", "x".repeat(10_000)))) {
              held = true;
              return;
            }
        };
        write();
      },
    ]);
    let received = 0;
    for await (const event of client.watch(kinds.node, { onActivity: () => received++ })) {
      expect(event.type).toBe("ADDED");
      break;
    }
    expect(held).toBe(true);
    expect(received).toBeLessThan(10);
    await expect.poll(() => client.sockets).toBe(0);
  });
});

test("thousands of watches leave neither connections nor listeners behind", async () => {
  let n = 0;
  const { client } = await served([
    (_, response) => {
      const line = `${JSON.stringify({ type: "ADDED", object: configMap("a") })}\n`;
      if (n++ % 2) response.end(line);
      else response.write(line);
    },
  ]);
  const outer = new AbortController();
  for (let i = 0; i < 1000; i++)
    for await (const event of client.watch(kinds.node, { signal: outer.signal })) if (event) break;
  expect(getEventListeners(outer.signal, "abort")).toEqual([]);
  await expect.poll(() => client.sockets).toBeLessThanOrEqual(1);
});

test("after a certificate is renewed, running requests end on their old connections, which are then closed", async () => {
  const waiting: ServerResponse[] = [];
  let certificate = { cert: "old", key: "k" };
  const credentials = { current: async () => ({ certificate }), reject: () => false };
  const { client, seen } = await served([(_, response) => void waiting.push(response), ok], { credentials });
  const first = client.raw("GET", "/1");
  await expect.poll(() => seen.length).toBe(1);
  certificate = { cert: "new", key: "k" };
  await client.raw("GET", "/2");
  const [response] = waiting;
  const closed = once(response?.socket as NodeJS.EventEmitter, "close");
  response?.end("ok");
  expect(await first).toBe("ok");
  await closed;
  expect(client.sockets).toBe(1);
});

test("short requests share a bounded number of connections, which watches do not use", async () => {
  const waiting: ServerResponse[] = [];
  const { client, seen } = await served([(_, response) => void waiting.push(response)], { maxSockets: 2 });
  const stop = new AbortController();
  const watches = [1, 2, 3].map(async () => {
    for await (const event of client.watch(kinds.node, { signal: stop.signal })) expect(event).toBeUndefined();
  });
  await expect.poll(() => seen.length).toBe(3);
  const gets = [1, 2, 3, 4].map(async (i) => client.raw("GET", `/${i}`));
  await expect.poll(() => seen.length).toBe(5);
  expect(client.sockets).toBe(5);
  while (seen.length < 7 || waiting.length > 3) {
    for (const response of waiting.splice(3)) response.end("ok");
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(gets);
  stop.abort();
  await Promise.all(watches);
});

// A proxy that wants a login first answers 200 with its page.
test.each<[string, string, string]>([
  ["a page", "text/html", "<html>log in</html>"],
  ["null", "application/json", "null"],
  ["an object without a kind", "application/json", "{}"],
  ["a list", "application/json", "[]"],
])("a server that answers with %s is no Kubernetes API server", async (_, type, body) => {
  const answer: Responder = (_request, response) => response.writeHead(200, { "content-type": type }).end(body);
  const { client } = await served([answer]);
  const object = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
  for (const request of [
    client.get(kinds.node, "n"),
    client.list(kinds.node),
    client.create(kinds.node, object),
    client.update(kinds.node, object),
    client.patch(kinds.node, "n", { type: "merge", patch: {} }),
  ])
    await expect(request).rejects.toThrow(/^the server at 127\.0\.0\.1:\d+ is no Kubernetes API server: /);
});
