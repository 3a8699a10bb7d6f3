import { describe, expect, it } from "vitest";
import { compileExpression } from "./expression.ts";
import { CostError } from "./frame.ts";
import { fromJson } from "./json-value.ts";
import { dyn } from "./type.ts";

/** A megabyte of text, twice: equal strings that are not the same object. */
const text = "ab".repeat(500_000);
const object = {
  text,
  twin: Array.from(text).join(""),
  texts: [text, `${text.slice(0, -1)}c`],
  many: Array.from({ length: 1000 }, (_, i) => ({ name: `item-${i}`, labels: { a: "b" } })),
  same: Array.from({ length: 1000 }, (_, i) => ({ name: `item-${i}`, labels: { a: "b" } })),
  numbers: Array.from({ length: 1000 }, (_, i) => i),
};
const often = (body: string): string => `object.numbers.all(x, object.numbers.all(y, ${body}))`;

describe("an expression that reads much data often exceeds its cost limit", () => {
  it.each([
    often("true"),
    often("object.text == object.twin"),
    often("object.many == object.same"),
    often("object.many in [object.same]"),
    often("object.texts.sort().size() == 2"),
    often("object.texts.max() > ''"),
    often("!object.text.matches('(a|b|ab)*c(a|b|ab)*c(a|b|ab)*c')"),
    often("'%s'.format([object.many]) != ''"),
    often("!isQuantity(object.text)"),
    often("!isIP(object.text)"),
    often("!isURL(object.text + ' ')"),
    often("!isSemver(object.text)"),
    often("format.dns1123Label().validate(object.text).hasValue()"),
    often("bytes(object.text) == bytes(object.twin)"),
    often("object.many.distinct().size() == 1000"),
    often("sets.equivalent(object.many, object.same)"),
    often("object.text.replace('a', 'bb').size() > 0"),
    "[1, 2, 3, 4, 5, 6, 7].map(x, object.text + object.text + object.text).join().size() > 0 && " + often("true"),
  ])("%s", (source) => {
    const expression = compileExpression(source, { object: dyn });
    const run = (): unknown => expression.evaluate({ object: fromJson(object) });
    expect(run).toThrow(CostError);
  });
});

describe("a deeply nested value", () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 1;
    for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
    return value;
  };
  const evaluate = (source: string, depth: number): unknown =>
    compileExpression(source, { object: dyn, other: dyn }).evaluate({
      object: fromJson(nested(depth)),
      other: fromJson(nested(depth)),
    });

  it("is compared up to the depth limit", () => {
    expect(evaluate("object == other", 250)).toBe(true);
    expect(() => evaluate("object == other", 100_000)).toThrow("nested too deeply");
  });

  it("is printed up to a depth limit", () => {
    expect(() => evaluate("'%s'.format([object]) == ''", 100_000)).toThrow("nested too deeply");
  });

  it("fails to convert if it consists of lists", () => {
    let lists: unknown = [];
    for (let i = 0; i < 100_000; i++) lists = [lists];
    expect(() => fromJson(lists)).toThrow("nested too deeply");
  });
});

describe("JSON without a schema", () => {
  it("has no keys without a value", () => {
    const expression = compileExpression("object.size() == 1 && !has(object.a) && object.map(k, k) == ['b']", {
      object: dyn,
    });
    expect(expression.evaluate({ object: fromJson({ a: undefined, b: null }) })).toBe(true);
  });

  const json = JSON.parse(
    '{"n": 1, "d": 1.5, "z": null, "l": [1, "a", null], "o": {"k": {"v": true}}, "__proto__": {"x": 1}, "constructor": "c"}',
  ) as unknown;
  it.each([
    "object.n == 1 && type(object.n) == int && object.d == 1.5 && object.z == null",
    "object.l == [dyn(1), dyn('a'), dyn(null)] && object.l[1] == 'a'",
    "object.o.k.v && has(object.o.k) && !has(object.o.x) && object.o.size() == 1",
    "object.all(k, k != 'x') && 'constructor' in object && !('toString' in object)",
    "object['__proto__'].x == 1 && object.constructor == 'c' && !has(object.hasOwnProperty)",
    "object.o == {'k': {'v': true}} && {'k': {'v': true}} == object.o && object.o != {'k': 1}",
    "object.exists(k, v, k == 'n' && v == 1) && object.o.transformMap(k, v, v.v) == {'k': true}",
    "object.?o.?k.?v.orValue(false) && !object.?nope.?k.hasValue()",
  ])("%s", (source) => {
    expect(compileExpression(source, { object: dyn }).evaluate({ object: fromJson(json) })).toBe(true);
  });
});
