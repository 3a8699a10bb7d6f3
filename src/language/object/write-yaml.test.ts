import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeYaml } from "./write-yaml.ts";
import { readYaml } from "./yaml.ts";

describe("YAML", () => {
  it.each<[unknown, string]>([
    [{ b: { d: 1, c: [] }, a: {} }, "a: {}\nb:\n  c: []\n  d: 1\n"],
    [{ a: [1, "x", { c: 2, b: [{ d: 3 }] }] }, "a:\n  - 1\n  - x\n  - b:\n      - d: 3\n    c: 2\n"],
    [[[1, 2], [[3]]], "- - 1\n  - 2\n- - - 3\n"],
    [{ a: undefined, b: null }, "b: null\n"],
    [{ a: { b: undefined } }, "a: {}\n"],
    ["text", "text\n"],
    [{}, "{}\n"],
    [{ a: "one\ntwo\n" }, "a: |\n  one\n  two\n"],
    [{ a: ["one\n\n  two"] }, "a:\n  - |-\n    one\n\n      two\n"],
    [{ a: "one\n\n" }, "a: |+\n  one\n\n"],
    [{ a: "\none\n", b: " one\n", c: "\n" }, 'a: "\\none\\n"\nb: " one\\n"\nc: "\\n"\n'],
    [{ a: "one\r\ntwo\n", b: "bell\u0007\n" }, 'a: "one\\r\\ntwo\\n"\nb: "bell\\u0007\\n"\n'],
  ])("of %j", (value, text) => {
    expect(writeYaml(value)).toBe(text);
    expect(readYaml(text)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  const quoted = `yes No ON off y N true Null ~ 1 1_000 0x1f 0o7 0b1 -1 +1 1.5 .5 1e3 .inf -.inf .NaN 12:30:45 2001-01-01
    2001-01-01T00:00:00Z 2001-12-14t21:59:43.10-05:00 0-3 3.2.0 << = - ? : & * ! | > % @ [a] {a} #a 'a' "a" a: ,`;
  it.each(quoted.split(/\s+/))("quotes %s, which would not be read as a text", (word) => {
    expect(writeYaml({ a: word, [word]: 1 })).toContain(`a: ${JSON.stringify(word)}\n`);
    expect(readYaml(writeYaml({ a: word, [word]: 1 }))).toEqual({ a: word, [word]: 1 });
  });

  it.each([
    "5s",
    "100Mi",
    "15%",
    "a:b",
    "a#b",
    "/etc/a",
    "data:text/plain;base64,aGk=",
    "x ${f:exec:a} [b] {c}",
    "a=b",
  ])("leaves %s as it is", (word) => {
    expect(writeYaml({ a: word })).toBe(`a: ${word}\n`);
    expect(readYaml(`a: ${word}\n`)).toEqual({ a: word });
  });

  it("reads back any value that it wrote", () => {
    const odd = fc.constantFrom(
      "\n",
      " ",
      "\t",
      ":",
      "#",
      "-",
      "a",
      "1",
      "'",
      '"',
      "\\",
      "\u2028",
      "\u0085",
      "\ufeff",
      "ä",
      "|",
    );
    const text = fc.oneof(fc.string(), fc.string({ unit: odd }), fc.string({ unit: "binary" }));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(text, tie("any"), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (json) => {
        expect(readYaml(writeYaml(json))).toEqual(json);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps keys of more than 1024 characters", () => {
    const value = { a: { ["k".repeat(3000)]: { b: ["c"] } } };
    expect(readYaml(writeYaml(value))).toEqual(value);
  });
});
