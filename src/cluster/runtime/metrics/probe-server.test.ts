import { afterEach, expect, test } from "vitest";
import { type Check, ProbeServer, type ProbeServerOptions } from "./probe-server.ts";

let server: ProbeServer | undefined;
afterEach(() => server?.close());

async function get(path: string, options: Partial<ProbeServerOptions> = {}, method = "GET"): Promise<[number, string]> {
  await server?.close();
  server = new ProbeServer({ address: "127.0.0.1:0", ...options });
  await server.listen();
  const response = await fetch(`http://${server.address}${path}`, { method });
  return [response.status, await response.text()];
}

const good: Check = () => {};
const bad: Check = async () => {
  throw new Error("not synced");
};

test.each<[string, Record<string, Check>, number, string]>([
  ["/readyz", {}, 200, "ok"],
  ["/readyz", { caches: good }, 200, "ok"],
  ["/readyz?verbose", { caches: good }, 200, "[+]caches ok\nreadyz check passed\n"],
  ["/readyz", { leader: good, caches: bad }, 500, "[+]leader ok\n[-]caches failed: not synced\nreadyz check failed\n"],
])("%s with checks %o answers %d", async (path, checks, code, body) => {
  expect(await get(path, { readyz: new Map(Object.entries(checks)) })).toEqual([code, body]);
});

test("a failed readiness check does not affect health", async () => {
  expect(await get("/healthz", { readyz: new Map([["caches", bad]]) })).toEqual([200, "ok"]);
});

test("metrics are served if there are any", async () => {
  expect(await get("/metrics")).toEqual([404, "not found\n"]);
  const metrics = { contentType: "text/plain", text: async () => "up 1\n" };
  expect(await get("/metrics", { metrics })).toEqual([200, "up 1\n"]);
});

test("methods that write are refused", async () => {
  expect(await get("/healthz", {}, "POST")).toEqual([405, "method not allowed\n"]);
});

test.each(["8080", "host:", "host:99999", "host:x"])("%s is not an address", async (address) => {
  await expect(new ProbeServer({ address }).listen()).rejects.toThrow("not of the form host:port");
});

test("an address in use is an error that names it", async () => {
  await get("/healthz");
  const second = new ProbeServer({ address: server!.address });
  await expect(second.listen()).rejects.toThrow(`serve probes on ${server!.address}: listen EADDRINUSE`);
});
