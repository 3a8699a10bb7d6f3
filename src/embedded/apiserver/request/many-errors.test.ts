import { describe, expect, it } from "vitest";
import type { Schema } from "../../../language/schema/schema.ts";
import { reviewSelfAccess } from "../auth/access-review.ts";
import { StatusError } from "../status-error.ts";
import { SmallServer } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";

/** As many as fit into a request body of 3 MiB. */
const many = <T>(item: (i: number) => T, count = 130_000): T[] => Array.from({ length: count }, (_, i) => item(i));
const keys = (key: (i: number) => string) => Object.fromEntries(many((i) => [key(i), "-"]));
const container = (more: object) => ({ name: "c", image: "i", ...more });
const controllers = many((i) => ({ apiVersion: "v1", kind: "A", name: "a", uid: `${i}`, controller: true }), 30_000);

const definition = (numbers: Schema) =>
  widgetDefinition({
    versions: [
      {
        name: "v1",
        spec: {
          numbers: { type: "array", items: numbers },
          either: { type: "array", items: { type: "string", anyOf: [{ minLength: 3 }, { pattern: "^b" }] } },
        },
      },
    ],
  });

async function prepared(): Promise<SmallServer> {
  const server = new SmallServer();
  server.startHousekeeping();
  await server.createNamespacesForPods("n");
  await server.create("customresourcedefinitions", definition({ type: "integer" }));
  await server.settled();
  return server;
}

async function refusal(work: () => unknown): Promise<StatusError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

function expectBounded(error: StatusError): void {
  expect(error).toMatchObject({ code: 422, reason: "Invalid" });
  const causes = error.details?.causes ?? [];
  expect(causes.length).toBeLessThanOrEqual(101);
  const shown = causes.length - 1;
  expect(causes.at(-1)?.message).toBe(`Too many: only the first ${shown} errors are shown`);
  expect(JSON.stringify(error.toStatus()).length).toBeLessThan(12 * 1024 * 1024);
}

describe("an object with hundreds of thousands of errors", () => {
  it.each([
    ["owners", "configmaps", { metadata: { ownerReferences: many(() => ({})) } }],
    ["owners, each error showing all of them", "configmaps", { metadata: { ownerReferences: controllers } }],
    ["labels", "configmaps", { metadata: { labels: keys((i) => `-k${i}`) } }],
    ["finalizers", "configmaps", { metadata: { finalizers: many(() => "a") } }],
    ["keys", "configmaps", { metadata: {}, data: keys((i) => `/${i}`) }],
    ["containers", "pods", { metadata: {}, spec: { containers: many(() => ({})) } }],
    ["variables", "pods", { metadata: {}, spec: { containers: [container({ env: many(() => ({})) })] } }],
    ["wrong types", "widgets", { metadata: {}, spec: { numbers: many(() => "a") } }],
    ["failed alternatives", "widgets", { metadata: {}, spec: { either: many(() => "a") } }],
  ])("is refused with the first errors: %s", async (_, resource, body) => {
    const server = await prepared();
    const { metadata, ...content } = body;
    const object = { ...content, metadata: { name: "x", namespace: "n", ...metadata } };
    expectBounded(await refusal(() => server.create(resource, object as never)));
  });

  it("is refused on update", async () => {
    const server = await prepared();
    await server.create("configmaps", { metadata: { name: "x", namespace: "n" } });
    const metadata = { name: "x", namespace: "n", finalizers: many(() => "a") };
    expectBounded(await refusal(() => server.update("configmaps", { metadata })));
  });

  it("is refused as a review, which every account may send", async () => {
    const requirements = many(() => ({}));
    const review = { metadata: {}, spec: { resourceAttributes: { labelSelector: { requirements } } } } as never;
    expectBounded(await refusal(() => reviewSelfAccess(review, { name: "u", groups: [] }, {} as never)));
  });

  it("is stored if the errors are of alternatives that need not apply", async () => {
    const server = await prepared();
    const body = { metadata: { name: "x", namespace: "n" }, spec: { either: many(() => "b", 1000) } };
    expect(await server.create("widgets", body)).toMatchObject(body);
  });

  it("may keep a thousand errors that a stricter schema made of its old values", async () => {
    const server = await prepared();
    const metadata = { name: "x", namespace: "n" };
    const redefine = async (numbers: Schema) => {
      await server.patch("customresourcedefinitions", { name: "widgets.x.io" }, definition(numbers));
      await server.settled();
    };
    await redefine({ type: "string" });
    await server.create("widgets", { metadata, spec: { numbers: many(() => "a", 1000) } });
    await redefine({ type: "integer" });
    const labelled = await server.patch("widgets", metadata, { metadata: { labels: { a: "b" } } });
    expect(labelled.metadata.labels).toEqual({ a: "b" });
  });

  it("warns about the first finalizers of a custom resource", async () => {
    const server = await prepared();
    await server.create("widgets", { metadata: { name: "x", namespace: "n", finalizers: many(() => "f") } });
    expect(server.warnings).toHaveLength(100);
  });
});
