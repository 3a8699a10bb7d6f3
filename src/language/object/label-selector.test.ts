import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatLabelSelector,
  fromLabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  parseLabelSelector,
} from "./label-selector.ts";

describe("a label selector", () => {
  it.each([
    ["", {}, true],
    ["a=b", { a: "b" }, true],
    ["a==b", { a: "c" }, false],
    ["a=", { a: "" }, true],
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a in (b, c)", { a: "c" }, true],
    ["a in (b,c)", {}, false],
    ["a in ()", { a: "" }, true],
    ["a in (,b)", { a: "" }, true],
    ["a in (b,)", { a: "" }, true],
    ["a in (b,,c)", { a: "" }, true],
    ["a notin (b,c)", {}, true],
    ["a notin (b,c)", { a: "b" }, false],
    ["a", { a: "" }, true],
    ["!a", { a: "" }, false],
    ["a>3", { a: "4" }, true],
    ["a>3", { a: "x" }, false],
    ["a<3", { a: "-10" }, true],
    ["a>3", {}, false],
    ["in in (in),notin", { in: "in", notin: "" }, true],
    ["a=b,c!=d,!e", { a: "b" }, true],
    ["example.com/a=b", { "example.com/a": "b" }, true],
    ["constructor", {}, false],
    ["!constructor", {}, true],
  ] as [string, Record<string, string>, boolean][])("%j on %j is %s", (text, labels, expected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected);
  });

  it("treats absent labels as empty", () => {
    expect(matchesLabels(parseLabelSelector("!a"), undefined)).toBe(true);
    expect(matchesLabels(parseLabelSelector("toString"), undefined)).toBe(false);
  });

  it.each([
    ["a===b", "unable to parse requirement: found '=', expected: identifier"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ["a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ["a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["!a,,b", "found ',', expected: identifier after ','"],
    ["a,", "found '', expected: identifier after ','"],
    ["=a", "found '=', expected: !, identifier, or 'end of string'"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["!a in (b)", "found 'in', expected: ',' or 'end of string'"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    [
      "a>b",
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ["/a", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ])("%j is refused with the message of kube-apiserver", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  it("names the invalid label value", () => {
    expect(() => parseLabelSelector("a in (x,-b)")).toThrow('values[0][a]: Invalid value: "-b": a valid label must be');
  });

  it("keeps its meaning when printed and read again", () => {
    const name = fc.stringMatching(/^[a-z]{1,3}$/);
    const term = fc.oneof(
      name.map((key) => key),
      name.map((key) => `!${key}`),
      fc.tuple(name, fc.constantFrom("=", "==", "!="), name).map((parts) => parts.join("")),
      fc
        .tuple(name, fc.constantFrom("in", "notin"), fc.array(name, { minLength: 1, maxLength: 3 }))
        .map(([key, operator, values]) => `${key} ${operator} (${values.join(",")})`),
    );
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), (terms) => {
        const parsed = parseLabelSelector(terms.join(","));
        expect(parseLabelSelector(formatLabelSelector(parsed))).toEqual(parsed);
      }),
    );
  });
});

describe("a selector inside an object", () => {
  it.each([
    [undefined, { a: "b" }, false],
    [{}, { a: "b" }, true],
    [{ matchLabels: { a: "b" } }, { a: "b" }, true],
    [{ matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "DoesNotExist" }] }, { a: "b", c: "" }, false],
    [{ matchExpressions: [{ key: "c", operator: "In", values: ["x", "y"] }] }, { c: "y" }, true],
    [{ matchExpressions: [{ key: "c", operator: "NotIn", values: ["x", "y"] }] }, { c: "y" }, false],
    [{ matchExpressions: [{ key: "c", operator: "Exists" }] }, { c: "y" }, true],
  ] as [LabelSelectorObject | undefined, Record<string, string>, boolean][])(
    "%j on %j is %s",
    (selector, labels, expected) => {
      expect(matchesLabels(fromLabelSelector(selector), labels)).toBe(expected);
    },
  );

  it.each([
    [{ matchExpressions: [{ key: "a", operator: "Near" }] }, '"Near" is not a valid label selector operator'],
    [{ matchExpressions: [{ key: "a", operator: "In" }] }, "values set can't be empty"],
    [{ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }, "values set must be empty"],
    [{ matchLabels: { "a b": "c" } }, 'key: Invalid value: "a b"'],
  ])("%j is refused", (selector, message) => {
    expect(() => fromLabelSelector(selector)).toThrow(message);
  });
});
