import { beforeEach, describe, expect, it } from "vitest";
import { FakeResponse } from "../testing/fake-response.ts";
import { SmallServer } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";
import type { HttpRequest } from "./exchange.ts";
import { Paths } from "./paths.ts";

let server: SmallServer;
let paths: Paths;
let unready: string | undefined;
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

beforeEach(() => {
  server = new SmallServer();
  unready = undefined;
  paths = new Paths({
    registry: server.services.registry,
    address: () => "127.0.0.1:6443",
    unready: () => unready,
  });
});

async function ask(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<FakeResponse> {
  const response = new FakeResponse();
  const [path = "", query = ""] = url.split("?");
  const request = { headers } as unknown as HttpRequest;
  await paths.answer({ method, path, query: new URLSearchParams(query), request, response: response.asResponse });
  return response;
}
const etagOf = ({ headers }: FakeResponse): string => String(headers.get("etag"));

describe("health", () => {
  it.each(["/healthz", "/livez", "/readyz", "/readyz/"])("%s is ok while all is well", async (path) => {
    const { code, text } = await ask(path);
    expect([code, text]).toEqual([200, "ok"]);
  });

  it("lists its checks when asked", async () => {
    expect((await ask("/readyz?verbose")).text).toBe("[+]ping ok\n[+]storage ok\nreadyz check passed\n");
  });

  it("says why the server is not ready, while it is alive", async () => {
    unready = "Error: the disk is full";
    const { code, text } = await ask("/readyz");
    expect([code, text]).toEqual([500, "Error: the disk is full\nreadyz check failed\n"]);
    expect((await ask("/healthz")).code).toBe(500);
    expect((await ask("/livez")).code).toBe(200);
  });
});

describe("documents", () => {
  const documents: [string, Record<string, string>][] = [
    ["/apis", { accept: aggregated }],
    ["/openapi/v3/api/v1", {}],
  ];
  it.each(documents)("%s are not sent again to a client with the etag", async (path, headers) => {
    const first = await ask(path, headers);
    expect([first.code, first.text.length > 100]).toEqual([200, true]);
    const again = await ask(path, { ...headers, "if-none-match": etagOf(first) });
    expect([again.code, again.text, etagOf(again)]).toEqual([304, "", etagOf(first)]);
    expect((await ask(path, { ...headers, "if-none-match": '"other"' })).code).toBe(200);
  });

  it("change with the served resources, and only the affected ones", async () => {
    const [apis, core] = [await ask("/apis", { accept: aggregated }), await ask("/openapi/v3/api/v1")];
    server.startHousekeeping();
    await server.create("customresourcedefinitions", widgetDefinition());
    expect(etagOf(await ask("/apis", { accept: aggregated }))).not.toBe(etagOf(apis));
    expect(etagOf(await ask("/openapi/v3/api/v1"))).toBe(etagOf(core));
    expect((await ask("/openapi/v3/apis/x.io/v1")).code).toBe(200);
    await server.delete("customresourcedefinitions", { name: "widgets.x.io" });
    await server.settled();
    expect(etagOf(await ask("/apis", { accept: aggregated }))).toBe(etagOf(apis));
    expect((await ask("/openapi/v3/apis/x.io/v1")).code).toBe(404);
  });

  it("are in the index with their hashes", async () => {
    const index = JSON.parse((await ask("/openapi/v3")).text) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const url = index.paths["api/v1"]?.serverRelativeURL ?? "";
    expect(url).toBe(`/openapi/v3/api/v1?hash=${etagOf(await ask("/openapi/v3/api/v1")).slice(1, -1)}`);
  });
});

describe("discovery", () => {
  it.each(["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "/"])("answers %s", async (path) => {
    const { code, headers, text } = await ask(path);
    expect([code, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(JSON.parse(text)).toBeTypeOf("object");
  });

  it("answers in YAML if the client accepts it", async () => {
    const { headers, text } = await ask("/apis/apps", { accept: "application/yaml" });
    expect(headers.get("content-type")).toBe("application/yaml");
    expect(text).toContain("kind: APIGroup\n");
  });

  it("has the server's address for clients", async () => {
    expect((await ask("/api")).text).toContain('"serverAddress":"127.0.0.1:6443"');
  });

  it.each(["/nothing", "/apis/none.io", "/apis/none.io/v1", "/openapi/v3/apis/none.io/v1", "/healthz/x"])(
    "has no page %s",
    async (path) => {
      const { code, text } = await ask(path);
      expect([code, text]).toEqual([404, "404 page not found\n"]);
    },
  );

  it.each(["/api/v9", "/apis/apps/v9"])("has no resources in %s", async (path) => {
    await expect(ask(path)).rejects.toMatchObject({ code: 404, reason: "NotFound" });
  });

  it("is read-only", async () => {
    await expect(ask("/apis", {}, "POST")).rejects.toMatchObject({ code: 405 });
    await expect(ask("/apis", { accept: "text/html" })).rejects.toMatchObject({ code: 406 });
  });
});
