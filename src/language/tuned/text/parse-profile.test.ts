import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseProfile } from "./parse-profile.ts";

/** Sections as `[name, [[key, value], …]]`. */
function sections(text: string): [string, [string, string][]][] {
  return parseProfile(text, "p").sections.map(({ name, options }) => [
    name,
    options.map(({ key, value }) => [key, value]),
  ]);
}

const cases: { name: string; text: string; expected: [string, [string, string][]][] }[] = [
  {
    name: "blanks around the separator do not count",
    text: "[main]\nsummary = My probe\n[sysctl]\nvm.swappiness = 11\nnet.core.somaxconn=>2048\n",
    expected: [
      ["main", [["summary", "My probe"]]],
      [
        "sysctl",
        [
          ["vm.swappiness", "11"],
          ["net.core.somaxconn", ">2048"],
        ],
      ],
    ],
  },
  {
    name: "a hash after a blank starts a comment, a semicolon only at the start of a line",
    text: "# top\n; also top\n[sysctl]\n  # indented\nkernel.core_pattern=|/bin/x#y\na.b=1 ; kept\nc.d=2#kept\ne.f=3\t#dropped\n",
    expected: [
      [
        "sysctl",
        [
          ["kernel.core_pattern", "|/bin/x#y"],
          ["a.b", "1 ; kept"],
          ["c.d", "2#kept"],
          ["e.f", "3"],
        ],
      ],
    ],
  },
  {
    name: "only the first equals sign separates, a colon never does",
    text: "[modules]\nnetrom=nr_ndevs=2 b=3\nx:y=z\n",
    expected: [
      [
        "modules",
        [
          ["netrom", "nr_ndevs=2 b=3"],
          ["x:y", "z"],
        ],
      ],
    ],
  },
  {
    name: "deeper lines continue a value, blank lines within it stay",
    text: "[bootloader]\ncmdline_a=+x\n  y=1\n\n  # gone\n  z\ncmdline_b=+q\n\n",
    expected: [
      [
        "bootloader",
        [
          ["cmdline_a", "+x\ny=1\n\nz"],
          ["cmdline_b", "+q"],
        ],
      ],
    ],
  },
  {
    name: "a repeated section is one section, a repeated option has its first place and its last value",
    text: "[sysctl]\na.x=1\n[vm]\nt=never\n[sysctl]\nb.x=2\na.x=9\n",
    expected: [
      [
        "sysctl",
        [
          ["a.x", "9"],
          ["b.x", "2"],
        ],
      ],
      ["vm", [["t", "never"]]],
    ],
  },
  {
    name: "names keep their case and may be any word",
    text: "[Sysctl]\nNet.X=1\nnet.x=2\n[__proto__]\nconstructor=1\n__proto__=2\n[a]b]\nk=1\n",
    expected: [
      [
        "Sysctl",
        [
          ["Net.X", "1"],
          ["net.x", "2"],
        ],
      ],
      [
        "__proto__",
        [
          ["constructor", "1"],
          ["__proto__", "2"],
        ],
      ],
      ["a]b", [["k", "1"]]],
    ],
  },
  {
    name: "DEFAULT is said in every other section",
    text: "[DEFAULT]\nzz=9\n[sysctl]\na.b=1\n[vm]\nzz=8\n",
    expected: [
      [
        "sysctl",
        [
          ["a.b", "1"],
          ["zz", "9"],
        ],
      ],
      ["vm", [["zz", "8"]]],
    ],
  },
  { name: "an empty value is a value", text: "[s]\r\nk=\r\n", expected: [["s", [["k", ""]]]] },
];

describe("a profile's text", () => {
  test.each(cases)("$name", ({ text, expected }) => {
    expect(sections(text)).toEqual(expected);
    expect(parseProfile(text, "p").problems).toEqual([]);
  });

  test("options know their line, and what they replaced within the file", () => {
    const [section] = parseProfile("[s]\n\nk=1\nk=2\n", "p").sections;
    expect(section?.options).toEqual([{ key: "k", value: "2", line: 4, earlier: [{ value: "1", line: 3 }] }]);
  });

  test.each([
    { name: "a bare word", text: "[sysctl]\nvm.swappiness\n", line: 2 },
    { name: "an option before any section", text: "vm.swappiness=1\n[sysctl]\n", line: 1 },
    { name: "an option without a name", text: "[sysctl]\n=1\n", line: 2 },
    { name: "a section without a name", text: "[s]\na=1\n[]\n", line: 3 },
  ])("$name is a problem with its line", ({ text, line }) => {
    expect(parseProfile(text, "p").problems).toMatchObject([{ file: "p", line }]);
  });

  test("a text of several megabytes is refused", () => {
    expect(parseProfile(`[s]\nk=${"x".repeat(2_000_000)}`, "p").problems).toHaveLength(1);
  });

  test("any text parses to sections or problems, and never throws", () => {
    const piece = fc.constantFrom("[", "]", "=", "#", ";", " ", "\n", "\r", "\t", "a", "DEFAULT", "__proto__");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const lines = pieces.join("").split(/\r\n|\r|\n/).length;
        for (const section of parseProfile(pieces.join(""), "p").sections)
          for (const option of section.options) {
            expect(option.key).not.toBe("");
            expect(option.line).toBeLessThanOrEqual(lines);
          }
      }),
    );
  });
});
