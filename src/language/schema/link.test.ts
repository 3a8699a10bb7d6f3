import { expect, it } from "vitest";
import { linkDefinitions } from "./link.ts";

it("a reference becomes the definition itself, however it is written", () => {
  const { pod, meta } = linkDefinitions({
    pod: { type: "object", properties: { a: { $ref: "meta" }, b: { $ref: "#/components/schemas/meta" } } },
    meta: { type: "object" },
  });
  expect(pod?.properties?.["a"]).toBe(meta);
  expect(pod?.properties?.["b"]).toBe(meta);
});

it("a definition may contain itself", () => {
  const { tree } = linkDefinitions({
    tree: {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "tree" } } },
      not: { $ref: "tree" },
    },
  });
  expect(tree?.properties?.["children"]?.items).toBe(tree);
  expect(tree?.not).toBe(tree);
});

it("keywords beside a reference override those of its target", () => {
  const { pod, meta } = linkDefinitions({
    pod: {
      type: "object",
      properties: { a: { allOf: [{ $ref: "meta" }], description: "mine", default: {} } },
      additionalProperties: { $ref: "meta" },
    },
    meta: { type: "object", description: "its own", properties: { x: { type: "string" } } },
  });
  expect(pod?.properties?.["a"]).toEqual({ ...meta, description: "mine", default: {} });
  expect(meta?.description).toBe("its own");
  expect(pod?.additionalProperties).toBe(meta);
});

it("an undefined name throws", () => {
  const { pod } = linkDefinitions({ pod: { properties: { a: { $ref: "nope" } } } });
  expect(() => pod?.properties?.["a"]).toThrow("no definition named nope");
});
