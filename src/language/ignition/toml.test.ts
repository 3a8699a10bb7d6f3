import { describe, expect, it } from "vitest";
import { readToml, type TomlValue } from "./toml.ts";

function plain(value: TomlValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, plain(one)]));
  return Array.isArray(value) ? value.map((one: TomlValue) => plain(one)) : value;
}

function read(text: string): unknown {
  const toml = readToml(text);
  return toml.type === "toml" ? plain(toml.root) : toml.message;
}

describe("TOML", () => {
  it.each<[string, string, unknown]>([
    ["nothing", "", {}],
    ["comments and blank lines", "# one\n\n \t# two", {}],
    [
      "values of each type",
      "a = 'x#'\nb = \"\\u0041\\n\" # c\nc = -1_0\nd = true\ne = 1.5",
      {
        a: "x#",
        b: "A\n",
        c: -10,
        d: true,
        e: 1.5,
      },
    ],
    ["a table in one line", 'r = { "cpushares" = 0, "cpuset" = "0-1" }', { r: { cpushares: 0, cpuset: "0-1" } }],
    ["tables by their path", '[a.b]\nc = 1\n[a."d.e"]\nf = 2', { a: { b: { c: 1 }, "d.e": { f: 2 } } }],
    ["keys with dots", "a.b = 1\na.c = 2", { a: { b: 1, c: 2 } }],
    ["lists over several lines", "a = [ # x\n 'b', \n'c',\n]", { a: ["b", "c"] }],
    ["lists of tables", "[[r]]\na=1\n[[r.m]]\nb=2\n[[r]]\na=3", { r: [{ a: 1, m: [{ b: 2 }] }, { a: 3 }] }],
    [
      "names that objects have",
      "__proto__.x = 1\n[constructor]\ny = 2",
      JSON.parse('{"__proto__":{"x":1},"constructor":{"y":2}}'),
    ],
  ])("has %s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ["a", "line 1 is not TOML: expected ="],
    ["\na = ", 'line 2 is not TOML: "" is no value'],
    ["a = x", 'line 1 is not TOML: "x" is no value'],
    ["a = 'x", "line 1 is not TOML: a text is not closed"],
    ["a = 1 b = 2", "line 1 is not TOML: expected the end of the line"],
    ["a = 1\na = 2", 'line 2 is not TOML: "a" is set twice'],
    ["a = 1\n[a]\n", 'line 2 is not TOML: "a" is not a table'],
    ["a = [1 2]", "line 1 is not TOML: a list is not closed"],
    ["a = [1,", 'line 1 is not TOML: "" is no value'],
    ["[a", "line 1 is not TOML: expected ]"],
    ["= 1", "line 1 is not TOML: expected key = value"],
    [`a = ${"[".repeat(40)}`, "line 1 is not TOML: more than 32 levels"],
  ])("refuses %j", (text, message) => {
    expect(read(text)).toBe(message);
  });
});
