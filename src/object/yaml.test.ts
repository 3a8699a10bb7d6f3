import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readYaml, writeYaml, YamlError } from "./yaml.ts";

describe("YAML", () => {
  it.each([
    ["a: yes", { a: true }],
    ["a: 'yes'", { a: "yes" }],
    ["a: 1_000", { a: 1000 }],
    ["a: 1\na: 2", { a: 2 }],
    ["a: &x {b: 1}\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["", null],
  ])("%j is read as Kubernetes reads it", (text, value) => {
    expect(readYaml(text)).toEqual(value);
  });

  it.each(["a: [", "a: b: c", "\ta: 1", `a: &a [x,x]\n${bomb(12)}`])("%j is refused", (text) => {
    expect(() => readYaml(text)).toThrow(YamlError);
  });

  it("quotes what 1.1 would read as something else", () => {
    expect(writeYaml({ b: "yes", a: "1_000", c: "0o7", d: "on" })).toBe('a: "1_000"\nb: "yes"\nc: 0o7\nd: "on"\n');
  });

  it("reads back whatever it wrote", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as unknown;
        expect(readYaml(writeYaml(json))).toEqual(json);
      }),
    );
  });
});

/** Each list names the one before nine times: a few hundred bytes that would grow to gigabytes. */
function bomb(levels: number): string {
  let text = "";
  for (let i = 1; i <= levels; i++)
    text += `l${i}: &l${i} [${Array.from({ length: 9 }, () => (i === 1 ? "*a" : `*l${i - 1}`)).join(",")}]\n`;
  return text;
}
