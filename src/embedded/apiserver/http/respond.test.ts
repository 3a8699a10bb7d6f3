import { beforeEach, describe, expect, it } from "vitest";
import { readYaml } from "../../../language/object/yaml.ts";
import type { Answer } from "../request/context.ts";
import { get } from "../request/get.ts";
import { list } from "../request/list.ts";
import { notFound, StatusError } from "../status-error.ts";
import { FakeResponse } from "../testing/fake-response.ts";
import { SmallServer, type Target } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";
import type { Representation } from "./negotiate.ts";
import { respond, respondError } from "./respond.ts";

let server: SmallServer;
const plain: Representation = { format: "json", as: "object", version: "" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
  server.startHousekeeping();
  await server.create("customresourcedefinitions", widgetDefinition());
  for (const name of ["one", "two"]) {
    await server.create("configmaps", { metadata: { name, namespace: "a" }, data: { text: `"${name}" ü` } });
    await server.create("widgets", { metadata: { name, namespace: "a" }, spec: { size: 1 } });
  }
});

async function show(
  name: string,
  target: Target,
  representation: Partial<Representation> = {},
  answer?: Answer,
): Promise<FakeResponse> {
  const response = new FakeResponse();
  const context = server.context(name, target);
  const shown = answer ?? (target.name ? get(context) : await list(context));
  await respond(response.asResponse, context, shown, { ...plain, ...representation });
  return response;
}
const jsonOf = async (...asked: Parameters<typeof show>): Promise<Record<string, unknown>> =>
  JSON.parse((await show(...asked)).text) as Record<string, unknown>;
const one = { namespace: "a", name: "one" };

describe("an object", () => {
  it("is sent as the stored bytes", async () => {
    const response = await show("configmaps", one);
    expect(response.written).toEqual([server.store.get("configmaps", "a/one")?.bytes]);
    expect(response.headers.get("content-length")).toBe(response.written[0]?.length);
  });

  it("is the same in YAML", async () => {
    const { text, headers } = await show("configmaps", one, { format: "yaml" });
    expect(headers.get("content-type")).toBe("application/yaml");
    expect(readYaml(text)).toEqual(server.get("configmaps", one));
  });
});

describe("a list", () => {
  it.each(["json", "yaml"] as const)("of a built-in kind has the kind once, in %s", async (format) => {
    const { text } = await show("configmaps", { namespace: "a" }, { format });
    const shown = readYaml(text) as { items: Record<string, unknown>[] };
    expect(shown).toMatchObject({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: expect.any(String) },
    });
    const expected = ["one", "two"].map((name) => {
      const { kind: _, apiVersion: __, ...rest } = server.get("configmaps", { namespace: "a", name });
      return rest;
    });
    expect(shown.items).toEqual(expected);
  });

  it.each(["json", "yaml"] as const)("of a custom kind has the kind in every item, in %s", async (format) => {
    const { text } = await show("widgets", { namespace: "a" }, { format });
    const expected = ["one", "two"].map((name) => server.get("widgets", { namespace: "a", name }));
    expect(readYaml(text)).toMatchObject({ kind: "WidgetList", apiVersion: "x.io/v1", items: expected });
  });

  it("without objects has an empty array", async () => {
    expect(await jsonOf("configmaps", { namespace: "b" })).toMatchObject({ items: [] });
  });

  it("in pages has a continue token", async () => {
    expect(await jsonOf("configmaps", { query: { limit: "1" } })).toMatchObject({
      metadata: { continue: expect.any(String), remainingItemCount: 1 },
    });
  });
});

describe("reductions", () => {
  it("show a list as a table, with metadata by default", async () => {
    const rows = async (includeObject: string) =>
      (await jsonOf("configmaps", { query: { includeObject } }, { as: "Table" })).rows as {
        object?: { kind: string };
      }[];
    expect((await rows("")).map(({ object }) => object?.kind)).toEqual([
      "PartialObjectMetadata",
      "PartialObjectMetadata",
    ]);
    expect((await rows("Object")).map(({ object }) => object?.kind)).toEqual(["ConfigMap", "ConfigMap"]);
    expect((await rows("None")).map(({ object }) => object ?? null)).toEqual([null, null]);
  });

  it("show one object as a table of one row", async () => {
    expect(await jsonOf("configmaps", one, { as: "Table" })).toMatchObject({
      kind: "Table",
      rows: [{ cells: ["one", 1, "0s"] }],
    });
  });

  it("show metadata alone, of one and of many", async () => {
    expect(await jsonOf("configmaps", one, { as: "PartialObjectMetadata" })).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { name: "one" },
    });
    expect(await jsonOf("configmaps", {}, { as: "PartialObjectMetadataList" })).toMatchObject({
      kind: "PartialObjectMetadataList",
      items: [{ metadata: { name: "one" } }, { metadata: { name: "two" } }],
    });
  });

  it("leave a Status as it is", async () => {
    const object = { kind: "Status", apiVersion: "v1", status: "Success" };
    expect(await jsonOf("configmaps", one, { as: "Table" }, { type: "object", code: 200, object })).toEqual(object);
  });
});

it("warnings are sent one header each, in ASCII", async () => {
  const response = new FakeResponse();
  const context = server.context("configmaps", one);
  context.warnings.push('unknown field "ü"', "two\r\nSet-Cookie: x");
  await respond(response.asResponse, context, get(context), plain);
  expect(response.headers.get("warning")).toEqual(['299 - "unknown field \\"?\\""', '299 - "two??Set-Cookie: x"']);
});

describe("a refusal", () => {
  it("is a Status with its code", async () => {
    const response = new FakeResponse();
    await respondError(response.asResponse, notFound("apps", "daemonsets", "x"), plain);
    expect(response.code).toBe(404);
    expect(JSON.parse(response.text)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'daemonsets.apps "x" not found',
      reason: "NotFound",
      details: { name: "x", group: "apps", kind: "daemonsets" },
      code: 404,
    });
  });

  it("has a Retry-After header", async () => {
    const response = new FakeResponse();
    const error = new StatusError(429, "TooManyRequests", "later", { retryAfterSeconds: 3 });
    await respondError(response.asResponse, error, plain);
    expect(response.headers.get("retry-after")).toBe("3");
  });
});
