import { expect, it } from "vitest";
import { applyDefaults, DefaultsTooLargeError } from "./defaults.ts";
import type { Schema } from "./schema.ts";

const schema: Schema = {
  type: "object",
  properties: {
    max: { type: "integer", default: 10 },
    free: { type: "string" },
    nul: { type: "string", nullable: true, default: "x" },
    inner: { type: "object", default: {}, properties: { v: { type: "integer", default: 7 } } },
    absent: { type: "object", properties: { v: { type: "integer", default: 7 } } },
    list: { type: "array", items: { type: "object", properties: { v: { type: "integer", default: 7 } } } },
    map: {
      type: "object",
      additionalProperties: { type: "object", properties: { v: { type: "integer", default: 7 } } },
    },
  },
};
const always = { max: 10, nul: "x", inner: { v: 7 } };

it.each([
  ["sets defaults at every depth that is present", {}, always],
  ["keeps present values", { max: 3, nul: "y", inner: { v: 1 } }, { max: 3, nul: "y", inner: { v: 1 } }],
  ["replaces a null that may not be", { max: null }, always],
  ["keeps a null in a nullable field", { nul: null }, { ...always, nul: null }],
  ["drops a null that has no default", { free: null, map: { a: null } }, { ...always, map: {} }],
  ["goes into items", { list: [{}, { v: 1 }] }, { ...always, list: [{ v: 7 }, { v: 1 }] }],
  ["leaves a null item to validation", { list: [null] }, { ...always, list: [null] }],
  ["goes into maps", { map: { a: {}, b: { v: 2 } } }, { ...always, map: { a: { v: 7 }, b: { v: 2 } } }],
  ["ignores values of a wrong type", { inner: 5, list: "x" }, { ...always, inner: 5, list: "x" }],
])("%s", (_, value, expected) => {
  applyDefaults(value, schema);
  expect(value).toEqual(expected);
});

it("gives every object its own copy", () => {
  const first: Record<string, unknown> = {};
  const second: Record<string, unknown> = {};
  applyDefaults(first, schema);
  applyDefaults(second, schema);
  expect(first["inner"]).not.toBe(second["inner"]);
});

it("a field called __proto__ is a field", () => {
  const value = {};
  const properties = Object.create(null) as Record<string, Schema>;
  properties["__proto__"] = { type: "string", default: "x" };
  applyDefaults(value, { type: "object", properties });
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.getOwnPropertyDescriptor(value, "__proto__")?.value).toBe("x");
});

it("defaults that exceed the size limit throw", () => {
  const items: Schema = { type: "object", properties: { d: { type: "string", default: "x".repeat(20_000) } } };
  const list = Array.from({ length: 200_000 }, () => ({}));
  expect(() => applyDefaults(list, { type: "array", items })).toThrow(DefaultsTooLargeError);
  expect(() => applyDefaults(list.slice(-10), { type: "array", items })).not.toThrow();
});

it("nested defaults that grow exponentially throw", () => {
  let bomb: Schema = { type: "object" };
  for (let level = 0; level < 12; level++)
    bomb = {
      type: "object",
      properties: { a: { type: "array", items: bomb, default: Array.from({ length: 10 }, () => ({})) } },
    };
  expect(() => applyDefaults({}, bomb)).toThrow(DefaultsTooLargeError);
});
