import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseProfile } from "./text/parse-profile.ts";
import { type Answer, noAnswers, probeKey } from "./probe.ts";
import { preview, type Resolution, resolve } from "./resolve.ts";

function resolving(texts: Record<string, string>, answers = noAnswers): Resolution {
  const layer = new Map(Object.entries(texts).map(([name, text]) => [name, parseProfile(text, name)]));
  return resolve({ profile: "p", layers: [layer] }, answers);
}

function firstProblem(resolution: Resolution): string | undefined {
  return resolution.type === "invalid" ? resolution.problems[0]?.message : resolution.type;
}

describe("a hostile profile is refused with a reason", () => {
  const doubling = Array.from({ length: 30 }, (_, i) => `v${i + 1}=\${v${i}}\${v${i}}`).join("\n");
  const wide = Array.from({ length: 2000 }, (_, i) => `i${i}`);

  test.each<[string, Record<string, string>, RegExp]>([
    ["ten megabytes", { p: `[s]\nk=${"x".repeat(10 << 20)}\n` }, /larger than 1048576 characters/],
    [
      "variables that double a call",
      { p: `[variables]\nv0=\${f:exec:x}\n${doubling.split("\n").slice(0, 14).join("\n")}\n` },
      /expands to more than the 65536 characters/,
    ],
    ["variables that double", { p: `[variables]\nv0=xxxxxxxxxx\n${doubling}\n` }, /expands to more than/],
    [
      "one large variable said many times",
      {
        p: `[variables]\nbig=${"x".repeat(500_000)}\n[s]\n${Array.from({ length: 100 }, (_, i) => `k${i}=\${big}`).join("\n")}\n`,
      },
      /expands to more than/,
    ],
    [
      "calls within calls",
      { p: `[s]\nk=${"${f:strip:".repeat(50_000)}${"}".repeat(50_000)}\n` },
      /more than 100 calls/,
    ],
    [
      "references within references",
      { p: `[s]\nk=${"${".repeat(100_000)}${"}".repeat(100_000)}\n` },
      /more than 100 calls/,
    ],
    [
      "a giant pattern",
      { p: `[s]\nk=\${f:regex_search_ternary:a:${"(a+)+".repeat(500)}:b:c}\n` },
      /more than 1000 characters/,
    ],
    [
      "referring back",
      { p: "[s]\nk=${f:regex_search_ternary:a:(a)\\1:b:c}\n" },
      /a reference to an earlier group is not supported/,
    ],
    [
      "looking ahead without end",
      {
        p: `[variables]\nbig=${"a".repeat(50_000)}\n[s]\n${Array.from({ length: 20 }, (_, i) => `k${i}=\${f:regex_search_ternary:\${big}:(?=a${"a?".repeat(400)}b):b:c}`).join("\n")}\n`,
      },
      /searches too much/,
    ],
    [
      "searching without end",
      {
        p: `[variables]\nbig=${"a".repeat(50_000)}\n[s]\n${Array.from({ length: 200 }, (_, i) => `k${i}=\${f:regex_search_ternary:\${big}:${"a?".repeat(400)}b:b:c}`).join("\n")}\n`,
      },
      /searches too much|expands to more/,
    ],
    ["a billion CPUs", { p: "[s]\nk=${f:cpulist2hex:0-1000000000}\n" }, /no machine has the CPUs/],
    [
      "two thousand profiles",
      { p: `[main]\ninclude=${wide.join(",")}\n`, ...Object.fromEntries(wide.map((name) => [name, "[s]\nk=1\n"])) },
      /more than 1000 profiles/,
    ],
    [
      "a thousand programs",
      { p: `[s]\n${Array.from({ length: 1000 }, (_, i) => `k${i}=\${f:exec:p${i}}`).join("\n")}\n` },
      /more than 200 programs/,
    ],
    ["a way out of the folder", { p: "[main]\ninclude=../../../etc/passwd\n" }, /profile "passwd" does not exist/],
    ["garbage", { p: "x\n".repeat(100_000) }, /option before the first section/],
  ])("%s", (_, texts, expected) => {
    expect(firstProblem(resolving(texts))).toMatch(expected);
  });
});

describe("a hostile profile costs no more than its size", () => {
  test.each<[string, string]>([
    ["an option repeated", `[s]\n${"k=\n".repeat(300_000)}`],
    ["sections without end", "[s]\n".repeat(200_000)],
    ["a value of empty lines", `[s]\nk=1\n${"\n".repeat(1_000_000)}`],
    ["calls in a row", `[s]\nk=${"${f:strip:x}".repeat(80_000)}\n`],
    ["blanks between includes", `[main]\ninclude=-a${" ".repeat(500_000)},-b\n[s]\nk=1\n`],
    ["blanks in a list of what to drop", `[s]\ndrop=a${" ".repeat(200_000)}b\nk=1\n`],
    ["signs in a list of what to drop", `[s]\ndrop=${"*,".repeat(400_000)}\nk=1\n`],
    ["commas in a list of devices", `[s]\ndevices=${",".repeat(1_000_000)}\nk=1\n`],
  ])("%s", (_, text) => {
    expect(resolving({ p: text }).type).toBe("resolved");
  });

  test("a pattern that explodes elsewhere is searched for in no time", () => {
    const text = `[s]\nk=\${f:regex_search_ternary:${"a".repeat(10_000)}:(a+)+$x:b:c}\n`;
    expect(resolving({ p: text })).toMatchObject({ profile: { units: [{ name: "s" }] } });
  });
});

test("names like __proto__ are names", () => {
  const resolution = resolving({
    p: "[main]\ninclude=constructor\n[variables]\n__proto__=1\n[__proto__]\n__proto__=${__proto__}${toString}\n",
    constructor: "[toString]\nvalueOf=1\n",
  });
  expect(resolution).toMatchObject({ type: "resolved", profile: { chain: ["constructor", "p"] } });
  expect(Object.keys(Object.prototype)).toEqual([]);
});

const words = fc.constantFrom(
  ..."[ ] = # ; \n ${ } \\ : , - a b p q main s variables include type enabled replace drop f: strip exec cat /x virt_check 0-3".split(
    " ",
  ),
  " ",
  "\n",
  "\r\n",
  "\n  ",
  "[main]\ninclude=",
  "[variables]\n",
  "${f:cpulist_unpack:",
  "${a}",
  "script=",
  "uname_regex=",
);
const profileText = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(""));

describe("whatever a profile says", () => {
  test("parsing it ends with sections or problems, every option on a line of the text", () => {
    fc.assert(
      fc.property(fc.oneof(profileText, fc.string({ unit: "binary", maxLength: 200 })), (text) => {
        const { sections } = parseProfile(text, "p");
        const lines = text.split(/\r\n|\r|\n/).length;
        for (const { options } of sections)
          for (const { line } of options) expect(line >= 1 && line <= lines).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("resolving it ends, and never asks the same twice", () => {
    fc.assert(
      fc.property(profileText, profileText, fc.boolean(), (p, q, answered) => {
        const layer = new Map([
          ["p", parseProfile(p, "p")],
          ["q", parseProfile(q, "q")],
        ]);
        const profiles = { profile: "p", layers: [layer] };
        expect(["preview", "invalid"]).toContain(preview(profiles, noAnswers).type);
        const answers = new Map<string, Answer>();
        for (
          let resolution = resolve(profiles, answers);
          resolution.type === "needs";
          resolution = resolve(profiles, answers)
        ) {
          expect(resolution.probes.filter((probe) => answers.has(probeKey(probe)))).toEqual([]);
          for (const probe of resolution.probes)
            answers.set(probeKey(probe), answered ? { type: "text", text: "q\n" } : { type: "none" });
        }
      }),
      { numRuns: 2000 },
    );
  });
});
