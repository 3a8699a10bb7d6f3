import { describe, expect, it } from "vitest";
import { readYaml, YamlError } from "./yaml.ts";

const manifest = `# A profile
apiVersion: performance.openshift.io/v2
metadata:
  name: manual
spec:
  cpu:
    isolated: 1-3,8   # for workloads
    reserved: "0"
    offlined: '4,5'
  hugepages:
    pages:
    - size: 1G
      count: 1
    -   size: "2M"

        node:
  additionalKernelArgs: [nosmt, audit=0]
  nodeSelector:
      node-role.kubernetes.io/worker-cnf: ""
  net: {}
`;

describe("YAML", () => {
  it.each([
    ["line feeds", manifest],
    ["carriage returns", manifest.replaceAll("\n", "\r\n")],
  ])("a manifest with %s", (_, text) => {
    expect(readYaml(text)).toEqual({
      apiVersion: "performance.openshift.io/v2",
      metadata: { name: "manual" },
      spec: {
        cpu: { isolated: "1-3,8", reserved: "0", offlined: "4,5" },
        hugepages: {
          pages: [
            { size: "1G", count: 1 },
            { size: "2M", node: null },
          ],
        },
        additionalKernelArgs: ["nosmt", "audit=0"],
        nodeSelector: { "node-role.kubernetes.io/worker-cnf": "" },
        net: {},
      },
    });
  });

  it("an integer that no number can hold is a text, however long it is", () => {
    const digits = "9".repeat(3_000_000);
    expect(readYaml(`a: ${digits}`)).toEqual({ a: digits });
    expect(readYaml(`a: -0x${digits}`)).toEqual({ a: `-0x${digits}` });
    expect(readYaml(`a: ${digits.slice(0, 308)}`)).toEqual({ a: 1e308 });
  });

  it.each([
    ["a: yes", { a: true }],
    ["a: 'yes'", { a: "yes" }],
    ["a: 1_000", { a: 1000 }],
    ["a: 1\na: 2", { a: 2 }],
    ["a: &x {b: 1}\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["", null],
    ["a: 2001-01-01", { a: "2001-01-01" }],
    ["a: 2001-12-14t21:59:43.10-05:00", { a: "2001-12-14t21:59:43.10-05:00" }],
    ["a: 12:30:45", { a: "12:30:45" }],
    ["a: 1:30.5", { a: "1:30.5" }],
    ["a: 0o14", { a: 12 }],
    ["a: -0o14", { a: -12 }],
    ["a: 014", { a: 12 }],
    ["a: 0X1f", { a: 31 }],
    ["a: 0B11", { a: 3 }],
    ["a: 1e3", { a: 1000 }],
    ["a: 1e+3", { a: 1000 }],
    ["a: 1.5", { a: 1.5 }],
    ["a: e5\nE0: .\nb: .e3\nc: -e+1", { a: "e5", E0: ".", b: ".e3", c: "-e+1" }],
    ["a: !!binary aGk=", { a: "hi" }],
    ["!!set {a, b}", { a: null, b: null }],
    ["!!omap [{a: 1}]", [{ a: 1 }]],
    ["a: 1\n---\na: 2", { a: 1 }],
    ['{"__proto__": {"a": 1}}', JSON.parse('{"__proto__": {"a": 1}}')],
  ])("%j is read as Kubernetes reads it", (text, value) => {
    expect(readYaml(text)).toEqual(value);
  });

  it.each(["a: [", "a: b: c", "\ta: 1", "a: .nan", "a: -.inf", "a: !!binary ?", `a: &a [x,x]\n${bomb(12)}`])(
    "%j is refused",
    (text) => {
      expect(() => readYaml(text)).toThrow(YamlError);
    },
  );

  it.each([
    ["flow lists", "[".repeat(100_000)],
    ["closed flow lists", "[".repeat(5_000) + "]".repeat(5_000)],
    ["flow maps", "{a: ".repeat(100_000)],
    ["block lists", "- ".repeat(20_000)],
    ["keys", "? ".repeat(20_000)],
    ["a list in itself", "a: &a [*a]"],
    ["pieces joined by aliases", `a0: &a0 [x]\n${joined(40)}`],
  ])("%s nested too deep are refused", (_, text) => {
    expect(() => readYaml(text)).toThrow(YamlError);
  });

  it.each([
    ["tokens", "[a, b, c, d, e, f, g, h]", { tokens: 20, characters: 100 }],
    ["tokens, counting what an alias repeats", "[&a [b, c], *a, *a]", { tokens: 20, characters: 100 }],
    [
      "characters, counting what an alias repeats",
      "{a: &a bcdefghijkl, b: *a, c: *a}",
      { tokens: 100, characters: 30 },
    ],
  ])("has as many %s as the reader allows", (_, text, limits) => {
    expect(() => readYaml(text)).not.toThrow();
    expect(() => readYaml(text, { tokens: 100, characters: 100 })).not.toThrow();
    expect(() => readYaml(text, limits)).toThrow(YamlError);
  });

  it("may nest as deep as kube-apiserver allows", () => {
    expect(JSON.stringify(readYaml("[".repeat(200) + "]".repeat(200)))).toBe("[".repeat(200) + "]".repeat(200));
  });
});

/** Each piece is shallow, and ends in the one before. */
function joined(pieces: number): string {
  let text = "";
  for (let i = 1; i <= pieces; i++) text += `a${i}: &a${i} ${"[".repeat(50)}*a${i - 1}${"]".repeat(50)}\n`;
  return text;
}

/** Each list names the one before nine times: a few hundred bytes that would grow to gigabytes. */
function bomb(levels: number): string {
  let text = "";
  for (let i = 1; i <= levels; i++)
    text += `l${i}: &l${i} [${Array.from({ length: 9 }, () => (i === 1 ? "*a" : `*l${i - 1}`)).join(",")}]\n`;
  return text;
}
