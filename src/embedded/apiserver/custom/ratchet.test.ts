import { expect, it } from "vitest";
import { invalid, required, type FieldError } from "../../../language/schema/field-error.ts";
import { ratchet } from "./ratchet.ts";

const old = { spec: { level: -1, mode: "x", items: [{ v: 1 }, { v: 2 }], m: { a: "b" } } };
const now = { spec: { level: -1, mode: "y", items: [{ v: 1 }, { v: 3 }], m: { a: "b" } } };

it.each<[string, FieldError, boolean]>([
  ["an unchanged value", invalid("spec.level", -1, "too low"), false],
  ["a changed value", invalid("spec.mode", "y", "unknown"), true],
  ["a field that is missing from an unchanged object", required("spec.items[0].name"), false],
  ["a field that is missing from a changed object", required("spec.items[1].name"), true],
  ["an unchanged entry of a map", invalid("spec.m[a]", "b", "bad"), false],
  ["a value that was not there before", invalid("spec.fresh", 1, "bad"), true],
  ["no field in particular", invalid("<nil>", null, "bad"), true],
])("a fault of %s counts: %#", (_, error, counts) => {
  expect(ratchet([error], now, old)).toEqual(counts ? [error] : []);
});
