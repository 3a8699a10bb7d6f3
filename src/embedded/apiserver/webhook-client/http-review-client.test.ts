import { createServer as createPlainServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../cluster/runtime/clock.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { SmallServer } from "../testing/small-server.ts";
import { startTestWebhook, type Reply, type TestWebhook, type TestWebhookOptions } from "../testing/test-webhook.ts";
import { storeOf } from "./testing/store-of.ts";
import { HttpReviewClient } from "./http-review-client.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const echo: Reply = (body) => ({ echo: body });

async function webhookThat(reply: Reply, options?: TestWebhookOptions): Promise<TestWebhook> {
  const webhook = await startTestWebhook(reply, options);
  closers.push(() => webhook.close());
  return webhook;
}

function newClient(clock = systemClock): { client: HttpReviewClient; server: SmallServer } {
  const server = new SmallServer();
  const client = new HttpReviewClient({ objects: server.services.reader, clock });
  closers.push(() => client.close());
  return { client, server };
}

async function plain(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const tenSeconds = { timeoutMs: 10_000 };

test("a review is posted as JSON with its timeout, and the response is parsed", async () => {
  const seen: unknown[] = [];
  const webhook = await webhookThat((body, { request }) => {
    seen.push(request.method, request.headers["content-type"], request.headers["user-agent"]);
    return { echo: body };
  });
  const { client } = newClient();
  const { url, caBundle } = webhook;
  expect(await client.ask({ url: `${url}/convert`, caBundle }, { kind: "Review" }, tenSeconds)).toEqual({
    echo: { kind: "Review" },
  });
  expect(webhook.asked).toEqual(["/convert?timeout=10s"]);
  expect(seen).toEqual(["POST", "application/json", "kube-apiserver-admission"]);
});

test("a connection is reused, and replaced if the webhook closed it", async () => {
  const webhook = await webhookThat(echo);
  const { client } = newClient();
  for (let i = 0; i < 5; i++) await client.ask(webhook, {}, tenSeconds);
  expect(webhook.connections()).toBe(1);
  webhook.hangUp();
  expect(await client.ask(webhook, {}, tenSeconds)).toEqual({ echo: {} });
  expect(webhook.connections()).toBe(2);
});

test("many concurrent calls use at most 64 connections, and all are answered", async () => {
  const webhook = await webhookThat(echo);
  const { client } = newClient();
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => client.ask(webhook, { i }, tenSeconds)));
  expect(answers).toEqual(Array.from({ length: 200 }, (_, i) => ({ echo: { i } })));
  expect(webhook.connections()).toBeLessThanOrEqual(64);
});

test("a call that waits for a connection is given up in time, and leaves the others theirs", async () => {
  const clock = new VirtualClock();
  const { client } = newClient(clock);
  const held: (() => void)[] = [];
  const webhook = await webhookThat((_review, { response }) => void held.push(() => response.end("{}")));
  const asking = Array.from({ length: 64 }, () => client.ask(webhook, {}, { timeoutMs: 10_000 }));
  const failed = expect(client.ask(webhook, {}, { timeoutMs: 1000 })).rejects.toThrow("context deadline exceeded");
  const later = client.ask(webhook, {}, { timeoutMs: 10_000 });
  while (held.length < 64) await nextTurn();
  await clock.advance(1000);
  await failed;
  while (held.length > 0 || webhook.asked.length < 65) {
    held.pop()?.();
    await nextTurn();
  }
  expect(await Promise.all([...asking, later])).toHaveLength(65);
  expect([webhook.asked.length, webhook.connections()]).toEqual([65, 64]);
});

test("another CA does not reuse connections of the first", async () => {
  const [webhook, other] = [await webhookThat(echo), await webhookThat(echo)];
  const { client } = newClient();
  await client.ask(webhook, {}, tenSeconds);
  await expect(client.ask({ url: webhook.url, caBundle: other.caBundle }, {}, tenSeconds)).rejects.toThrow(
    `Post "${webhook.url}/?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  );
  // It has not seen the review.
  expect(webhook.asked).toHaveLength(1);
});

test.each([
  [
    "a name that is not in it",
    { names: ["a.example", "b.example"] },
    /cannot validate certificate for 127\.0\.0\.1 because it doesn't contain any IP SANs/,
  ],
  ["another address", { names: ["127.0.0.2"] }, /certificate is valid for 127\.0\.0\.2, not 127\.0\.0\.1/],
  ["only a common name", { names: [] }, /certificate relies on legacy Common Name field, use SANs instead/],
  ["a time that is over", { notAfter: Date.now() - 60_000 }, /certificate has expired or is not yet valid/],
])("a certificate for %s is not believed", async (_, options, message) => {
  const { client } = newClient();
  const asking = client.ask(await webhookThat(echo, options), {}, tenSeconds);
  await expect(asking).rejects.toThrow(/tls: failed to verify certificate: x509: /);
  await expect(asking).rejects.toThrow(message);
});

test("without a bundle the system's roots are used, which do not trust the webhook", async () => {
  const { url } = await webhookThat(echo);
  const { client } = newClient();
  await expect(client.ask({ url }, {}, tenSeconds)).rejects.toThrow("x509: certificate signed by unknown authority");
});

test.each([
  [
    "no PEM",
    { url: "https://127.0.0.1:1", caBundle: "aGVsbG8=" },
    "unable to load root certificates: unable to parse bytes as PEM block",
  ],
  ["neither URL nor service", {}, "webhook configuration must have either service or URL"],
  [
    "a port without a listener",
    { url: "https://127.0.0.1:1/x" },
    'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
  ],
  [
    "a host name that does not exist",
    { url: "https://nobody.invalid" },
    /^Post "https:\/\/nobody\.invalid\/\?timeout=10s": dial tcp: lookup nobody\.invalid: /,
  ],
])("a configuration with %s fails with words that say so", async (_, config, message) => {
  const { client } = newClient();
  await expect(client.ask(config, {}, tenSeconds)).rejects.toThrow(message);
});

test("a server without TLS and one that closes the connection have different messages", async () => {
  const { client } = newClient();
  const http = await plain(createPlainServer((_, response) => response.end("hello")));
  await expect(client.ask({ url: `https://127.0.0.1:${http}` }, {}, tenSeconds)).rejects.toThrow(
    "http: server gave HTTP response to HTTPS client",
  );
  const rude = await plain(createTcpServer((socket) => socket.end()));
  await expect(client.ask({ url: `https://127.0.0.1:${rude}` }, {}, tenSeconds)).rejects.toThrow(
    `Post "https://127.0.0.1:${rude}/?timeout=10s": EOF`,
  );
});

test.each<[string, Reply, string | RegExp]>([
  [
    "500 with text",
    say(500, "boom\n", "text/plain"),
    'an error on the server ("boom") has prevented the request from succeeding',
  ],
  [
    "500 with something else",
    say(500, "boom", "application/json"),
    'an error on the server ("unknown") has prevented the request from succeeding',
  ],
  ["404", say(404, ""), "the server could not find the requested resource"],
  [
    "a redirect",
    say(302, "", "text/plain"),
    "the server responded with the status code 302 but did not return more information",
  ],
  [
    "a Status",
    say(400, JSON.stringify({ kind: "Status", status: "Failure", message: "not like this" })),
    "not like this",
  ],
  ["nothing", say(200, ""), "0-length response with status code: 200 and content type: application/json"],
  ["no JSON", say(200, "hello"), /^couldn't get version\/kind; json parse error: /],
  [
    "one that nests too deep",
    say(200, `${"[".repeat(300)}${"]".repeat(300)}`),
    "the answer cannot be read: it nests deeper than 256 levels",
  ],
  [
    "too much",
    (_, { response }) => void response.end(Buffer.alloc(4 << 20, 32)),
    "the answer is longer than 3145728 bytes",
  ],
  [
    "half of it",
    (_, { response }) => void response.writeHead(200, { "Content-Length": 9 }).write("{", () => response.destroy()),
    "unexpected error when reading response body. Please retry. Original error: EOF",
  ],
])("an answer of %s is none", async (_, reply, message) => {
  const { client } = newClient();
  await expect(client.ask(await webhookThat(reply), {}, tenSeconds)).rejects.toThrow(message);
});

function say(code: number, text: string, type = "application/json"): Reply {
  return (_, { response }) => void response.writeHead(code, { "Content-Type": type }).end(text);
}

test.each([
  ["before its answer", false],
  ["within its answer", true],
])("a webhook that hangs %s is given up after the time for all of it", async (_, begin) => {
  const clock = new VirtualClock();
  const { client } = newClient(clock);
  const webhook = await webhookThat((_review, { response }) => void (begin && response.write("{")));
  const asking = client.ask(webhook, {}, { timeoutMs: 3000 });
  const failed = expect(asking).rejects.toThrow(
    begin ? /context deadline exceeded$/ : /^Post "[^"]*\?timeout=3s": context deadline exceeded$/,
  );
  while (webhook.asked.length === 0) await nextTurn();
  await clock.advance(2999);
  let over = false;
  asking.catch(() => (over = true));
  await nextTurn();
  expect(over).toBe(false);
  await clock.advance(1);
  await failed;
});

test("closing aborts running calls and refuses new ones", async () => {
  const webhook = await webhookThat(() => undefined);
  const { client } = newClient();
  const asking = client.ask(webhook, {}, tenSeconds);
  const failed = expect(asking).rejects.toThrow();
  while (webhook.asked.length === 0) await nextTurn();
  client.close();
  await failed;
  await expect(client.ask(webhook, {}, tenSeconds)).rejects.toThrow("the server is shutting down");
});

test("a service is called at its endpoints, with its own server name", async () => {
  const webhook = await webhookThat(echo, { names: ["hooks.tuning.svc"] });
  const hosts: unknown[] = [];
  webhook.reply = (_, { request }) => ({ host: hosts.push(request.headers.host) });
  const objects = storeOf({
    "services/tuning/hooks": { spec: { clusterIP: "10.96.0.9", ports: [{ port: 8443 }] } },
    "endpoints/tuning/hooks": { subsets: [{ addresses: [{ ip: "127.0.0.1" }], ports: [{ port: webhook.port }] }] },
  });
  const client = new HttpReviewClient({ objects, clock: systemClock });
  closers.push(() => client.close());
  const service = { namespace: "tuning", name: "hooks", path: "/a/b", port: 8443 };
  await client.ask({ service, caBundle: webhook.caBundle }, {}, tenSeconds);
  expect(webhook.asked).toEqual(["/a/b?timeout=10s"]);
  expect(hosts).toEqual(["hooks.tuning.svc:8443"]);
  const missing = client.ask({ service: { namespace: "tuning", name: "gone" } }, {}, tenSeconds);
  await expect(missing).rejects.toThrow('Post "https://gone.tuning.svc:443/?timeout=10s": service "gone" not found');
});
