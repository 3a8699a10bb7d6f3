import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainYaml } from "./plain-yaml.ts";
import { writeYaml } from "./write-yaml.ts";
import { readYaml } from "./yaml.ts";

const profile = `# A profile
apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata:
  name: manual
spec:
  cpu:
    isolated: 1-3,8   # for work
    reserved: "0"
    offlined: '4,5'
  hugepages:
    pages:
    - size: 1G
      count: 1
    -   size: "2M"

        count: 128
        node:
  additionalKernelArgs: [nosmt, audit=0]
  nodeSelector:
      node-role.kubernetes.io/worker-cnf: ""
  net: {}
  realTimeKernel: { }
  lists:
    - - a
      - 1
    - []
    - true
`;

const words = [
  ..."a b-c a/b.c 1 0-3 3.2.0 yes true null ~ 014 'x' {} [] #c a: x:y | *a 100Mi 5s 1e3 - --".split(" "),
  "",
  "\t",
  '"x y"',
  "[a, 1]",
  "x, y",
  " #c",
  "x #c",
  "- ",
  "a: b",
  "b ",
];

describe("plain YAML", () => {
  it("is what manifests are made of", () => {
    expect(readPlainYaml(profile)?.value).toEqual(readYaml(profile));
    expect(readPlainYaml(profile.replaceAll("\n", "\r\n"))?.value).toEqual(readYaml(profile));
  });

  it.each([
    "",
    "# nothing\n",
    "text",
    "a: |\n  text\n",
    "a: >\n  text\n",
    "a: &x 1\nb: *x",
    "a: yes",
    "yes: a",
    "1: a",
    "a: ~",
    "a: 014",
    "a: 0x1f",
    "a: 1.5",
    "a: -1",
    "a: 2001-01-01",
    "a: 12:30",
    'a: "\\n"',
    "a: 'it''s'",
    "a: {b: 1}",
    "a: [[1]]",
    "a: b\n  c",
    "a:\n  b: 1\n c: 2",
    "a: 1\n- b",
    "- a\nb: 1",
    "-\n  a: 1",
    "a: b: c",
    "a: !!str 1",
    "a: ä",
    "a:\tb",
    "\ta: 1",
    "a: 1\n\t\n",
    "? a\n: b",
    "<<: {a: 1}",
    "a: 9999999999999999",
    "a: [b,]",
    "%YAML 1.1",
    "...",
    `${Array.from({ length: 200 }, (_, i) => `${" ".repeat(i)}a:`).join("\n")}\n`,
  ])("leaves %j to others", (text) => {
    const read = readPlainYaml(text);
    if (read) expect(read.value).toEqual(readYaml(text));
    else expect(read).toBeUndefined();
  });

  it("takes names for names that objects have by themselves", () => {
    expect(readPlainYaml("__proto__: 1\nconstructor: 2")?.value).toEqual(JSON.parse('{"__proto__":1,"constructor":2}'));
  });

  it("means what all of YAML takes it for, wherever it has an answer", () => {
    const word = fc.constantFrom(...words);
    const line = fc.tuple(
      fc.constantFrom("", " ", "  ", "    ", "      "),
      fc.constantFrom("", "- ", "-  ", "- - "),
      fc.constantFrom("", "a: ", "b:", "c:  ", '"d": ', "e : "),
      word,
    );
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((parts) => parts.join("")).join("\n"));
    fc.assert(
      fc.property(text, (yaml) => {
        const read = readPlainYaml(yaml);
        if (read) expect(read.value).toEqual(readYaml(yaml));
      }),
      { numRuns: 800 },
    );
  });

  it("reads what this project writes, unless that is of several lines or has signs in it", () => {
    const text = fc.string({ unit: fc.constantFrom(..."abz09 -_./:#%,'[{yes") });
    const leaf = fc.oneof(text, fc.nat(), fc.boolean());
    const map = fc.dictionary(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_./-]{0,9}$/), fc.oneof(leaf, fc.array(leaf)));
    fc.assert(
      fc.property(fc.record({ a: map, b: fc.array(map), c: fc.array(fc.array(leaf)) }), (value) => {
        const yaml = writeYaml(value);
        expect(readPlainYaml(yaml)?.value).toEqual(readYaml(yaml));
      }),
      { numRuns: 100 },
    );
  });
});
