import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate, parseJsonPath } from "./json-path.ts";

const object = {
  spec: {
    a: "hello",
    l: ["x", "y", "z"],
    m: { "a.b": "dot", c: "d", "a-b/c": "slash" },
    conds: [
      { type: "Other", status: "False", k: 1 },
      { type: "Ready", status: "True", k: 2 },
      { type: "Ready", status: "Maybe", k: 3, on: true },
    ],
  },
};

function find(text: string, root: unknown = object): unknown[] | undefined {
  const path = parseJsonPath(text);
  return path && evaluate(path, root);
}

describe("evaluate", () => {
  it.each<[string, unknown[]]>([
    [".spec.a", ["hello"]],
    [".spec.nope", []],
    [".spec.a.b", []],
    [".spec.l", [["x", "y", "z"]]],
    [".spec.l[0]", ["x"]],
    [".spec.l[-1]", ["z"]],
    [".spec.l[9]", []],
    [".spec.l[*]", ["x", "y", "z"]],
    [".spec.l[0:2]", ["x", "y"]],
    [".spec.l[1:]", ["y", "z"]],
    [".spec.l[::2]", ["x", "z"]],
    [".spec.l[0,2]", ["x", "z"]],
    [".spec.m['a\\.b']", ["dot"]],
    [".spec.m['a.b']", ["dot"]],
    [".spec.m.a\\.b", ["dot"]],
    [".spec.m.a-b/c", ["slash"]],
    [".spec.m['c','a.b']", ["d", "dot"]],
    [".spec.m.*", ["dot", "d", "slash"]],
    ['.spec.conds[?(@.type=="Ready")].status', ["True", "Maybe"]],
    [".spec.conds[?(@.type=='Ready')].k", [2, 3]],
    [".spec.conds[?(@.type!='Ready')].k", [1]],
    [".spec.conds[?(@.k>1)].k", [2, 3]],
    [".spec.conds[?(@.k <= 2)].k", [1, 2]],
    [".spec.conds[?(@.on)].k", [3]],
    [".spec.conds[?(@.on==true)].k", [3]],
    [".spec.conds[?(@.k=='2')].k", []],
    ['.spec.conds[?(@.type=="]")].k', []],
    [".spec.conds[*].type", ["Other", "Ready", "Ready"]],
    ["..type", ["Other", "Ready", "Ready"]],
    [".", [object]],
    [".constructor", []],
    [".spec.l.length", []],
  ])("%s finds %j", (path, found) => {
    expect(find(path)).toEqual(found);
  });

  it("finds a field named __proto__ only where there is one", () => {
    expect(find(".spec.__proto__")).toEqual([]);
    expect(find(".__proto__", JSON.parse('{"__proto__": 7}'))).toEqual([7]);
  });

  it("finds nothing in an object that is too large", () => {
    let nested: unknown = { type: "deepest" };
    for (let i = 0; i < 100_000; i++) nested = { inner: nested };
    expect(find("..type", nested)).toEqual([]);
    expect(find("..*..*..*", { a: Array.from({ length: 1000 }, () => ({ b: [1, 2, 3] })) })).toEqual([]);
  });
});

describe("parseJsonPath", () => {
  it.each([
    "a",
    "{.a}",
    "$.a",
    ".a[",
    ".a[x]",
    '.a["b"]',
    ".a}",
    ".a.b c",
    ".a[?(@.x",
    ".a[?(x)]",
    ".a[]",
    ".a[1:2:-1]",
  ])("%s is no path", (text) => {
    expect(parseJsonPath(text)).toBeUndefined();
  });

  it("rejects a path that is too long", () => {
    expect(parseJsonPath(".a".repeat(600))).toBeUndefined();
  });

  it("terminates on any text", () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from("abc.[]?()@='\"\\*:,-10 {}")), maxLength: 40 });
    fc.assert(
      fc.property(text, (path) => {
        find(path);
      }),
    );
  });
});
