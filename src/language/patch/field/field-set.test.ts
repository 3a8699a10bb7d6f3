import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printPath } from "./field-path.ts";
import type { FieldPath } from "./field-path.ts";
import {
  difference,
  EMPTY,
  equalSets,
  fieldSetOf,
  has,
  intersection,
  isEmpty,
  isSubset,
  parseFieldsV1,
  paths,
  recursiveDifference,
  toFieldsV1,
  union,
} from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";

const element = fc.constantFrom("f:a", "f:b", "f:__proto__", 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:"z"', "v:1", "i:0");
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 8 }).map((list) => fieldSetOf(...list));

const textOf = (a: FieldSet): string => JSON.stringify(toFieldsV1(a));

describe("a field set", () => {
  test("union, intersection and difference are those of sets of paths", () => {
    fc.assert(
      fc.property(set, set, set, path, (a, b, c, p) => {
        expect(has(union(a, b), p)).toBe(has(a, p) || has(b, p));
        expect(has(intersection(a, b), p)).toBe(has(a, p) && has(b, p));
        expect(has(difference(a, b), p)).toBe(has(a, p) && !has(b, p));
        expect(equalSets(union(a, b), union(b, a))).toBe(true);
        expect(equalSets(union(a, union(b, c)), union(union(a, b), c))).toBe(true);
        expect(equalSets(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c)))).toBe(true);
        expect(equalSets(union(difference(a, b), intersection(a, b)), a)).toBe(true);
        expect(isEmpty(difference(a, a))).toBe(true);
        expect(isSubset(intersection(a, b), b)).toBe(true);
      }),
    );
  });

  test("recursive difference also removes what is below", () => {
    fc.assert(
      fc.property(set, set, path, (a, b, p) => {
        const isCovered = p.some((_, i) => has(b, p.slice(0, i + 1)));
        expect(has(recursiveDifference(a, b), p)).toBe(has(a, p) && !isCovered);
      }),
    );
  });

  test("parses what it writes, and equal sets have equal texts", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(equalSets(parseFieldsV1(toFieldsV1(a)), a)).toBe(true);
        expect(textOf(a) === textOf(b)).toBe(equalSets(a, b));
        expect(textOf(union(a, b))).toBe(textOf(union(b, a)));
      }),
    );
  });

  test("lists the paths it was made of", () => {
    fc.assert(
      fc.property(set, (a) => {
        expect(equalSets(fieldSetOf(...paths(a)), a)).toBe(true);
      }),
    );
  });

  test("operations never change their arguments", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const before = [textOf(a), textOf(b)];
        for (const operate of [union, intersection, difference, recursiveDifference]) operate(a, b);
        expect([textOf(a), textOf(b)]).toEqual(before);
      }),
    );
  });

  test("difference returns the same object if nothing is removed", () => {
    const a = fieldSetOf(["f:a", "f:b"]);
    expect(difference(a, fieldSetOf(["f:a"]))).toBe(a);
  });

  test("is written in kube-apiserver's order, a parent with a dot", () => {
    const a = fieldSetOf(
      ["f:list", 'v:"a b"'],
      ["f:list", 'v:"a"'],
      ["f:list", "v:10"],
      ["f:list", "v:9"],
      ["f:items", 'k:{"name":"a!"}', "f:name"],
      ["f:items", 'k:{"name":"a"}'],
      ["f:items", 'k:{"name":"a"}', "f:x"],
      ["f:data"],
    );
    expect(textOf(a)).toBe(
      '{"f:data":{},"f:items":{"k:{\\"name\\":\\"a\\"}":{".":{},"f:x":{}},"k:{\\"name\\":\\"a!\\"}":{"f:name":{}}},"f:list":{"v:9":{},"v:10":{},"v:\\"a\\"":{},"v:\\"a b\\"":{}}}',
    );
  });

  test("recognises an item whatever the order and spelling of its keys", () => {
    const spelled = parseFieldsV1({ 'k:{ "protocol":"TCP", "port":80 }': {}, 'v:"a<b"': {} });
    expect(Object.keys(toFieldsV1(spelled))).toEqual(['k:{"port":80,"protocol":"TCP"}', String.raw`v:"a\u003cb"`]);
  });

  test("ignores elements of unknown types", () => {
    expect(parseFieldsV1({ "x:future": {} })).toBe(EMPTY);
  });

  test.each([
    [{ f: {} }],
    [{ "": {} }],
    [{ fa: {} }],
    [{ "k:[]": {} }],
    [{ "v:{": {} }],
    [{ "i:x": {} }],
    [{ "f:a": 1 }],
    [[]],
  ])("refuses %j", (fields) => {
    expect(() => parseFieldsV1(fields)).toThrow(expect.objectContaining({ name: "PatchError" }));
  });

  test("rejects nesting that is too deep", () => {
    const fields: unknown = JSON.parse(`${'{"f:a":'.repeat(5_000)}{}${"}".repeat(5_000)}`);
    expect(() => parseFieldsV1(fields)).toThrow(/nested more than/);
  });
});

describe("a path", () => {
  test.each<[path: FieldPath, text: string]>([
    [["f:data", "f:a"], ".data.a"],
    [["f:spec", "f:containers", 'k:{"name":"one"}', "f:image"], '.spec.containers[name="one"].image'],
    [["f:ports", 'k:{"containerPort":80,"protocol":"TCP"}'], '.ports[containerPort=80,protocol="TCP"]'],
    [["f:metadata", "f:finalizers", 'v:"x<y"'], '.metadata.finalizers[="x<y"]'],
    [["f:list", "i:3"], ".list[3]"],
  ])("%j is printed as conflicts name it", (path, text) => {
    expect(printPath(path)).toBe(text);
  });
});
