import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePython, type PatternFlags } from "./python-pattern.ts";

function searching(source: string, text: string, flags?: PatternFlags): boolean | string {
  const compiled = compilePython(source, flags);
  return compiled.type === "pattern" ? compiled.pattern.search(text) : compiled.type;
}

describe("Python's regular expressions", () => {
  test.each<[string, string, boolean | string]>([
    ["rt", "5.14.0-rt", true],
    ["a$", "a\n", true],
    ["a$", "a\nb", false],
    ["a\\Z", "a\n", false],
    ["^a{,2}b", "aab", true],
    ["^a{,2}b", "aaab", false],
    ["[[:alpha:]]", "x]", false],
    ["[[:alpha:]]", "a]", true],
    ["[]x]", "]", true],
    ["[^]x]", "]", false],
    ["[\\b]", "\b", true],
    ["\\b[y,Y,1,t,T]\\b", "Y", true],
    ["\\b[y,Y,1,t,T]\\b", "yes", false],
    ["CPU part\\s+:\\s+(0x0?516)|(0x0?af)|(0x0?b8)\\b", "CPU part\t: 0x0af", true],
    ["(?i)INTEL", "GenuineIntel", true],
    ["(?a)x", "x", true],
    ["(?i:A)b", "ab", true],
    ["(?m)^b$", "a\nb\nc", true],
    ["a(?#why)b", "ab", true],
    ["(?P<n>a)b", "ab", true],
    ["\\u0041\\x42\\103", "ABC", true],
    ["a{2", "a{2", true],
    ["x}+y", "x}}y", true],
    ["\\ä\\-\\/", "ä-/", true],
  ])("%j in %j: %j", (source, text, expected) => {
    expect(searching(source, text)).toBe(expected);
  });

  test.each([
    "[",
    "(",
    "a**",
    "\\e",
    "\\Qa\\E",
    "\\pN",
    "\\z",
    "(?<n>a)",
    "[z-a]",
    "a(?i)b",
    "a\\",
    "(?#a",
    "^*",
    "(?<=a+)b",
  ])("%j is malformed", (source) => {
    expect(searching(source, "")).toBe("malformed");
  });

  test.each<[string, string, boolean]>([
    ["^INTERFACE=(?!eno1)", "INTERFACE=eno1", false],
    ["^INTERFACE=(?!eno1)", "INTERFACE=eno2", true],
    ["^INTERFACE=(?!eno1$).*", "INTERFACE=eno10", true],
    ["^(?!.*(virtio|veth)).*eth", "ID_NET_DRIVER=veth eth0", false],
    ["(?=.*b)(?=.*a)^.{2}$", "ba", true],
    ["(?<=eth)1", "eth1", true],
    ["(?<!v)eth", "veth", false],
    ["(?<!^)a", "a", false],
    ["(?=(?!ab)a)", "ab", false],
    ["(?!(?=ab)a)a", "ac", true],
    ["a(?=$)", "a\n", true],
    ["(?i:(?=A))a", "a", true],
    ["[^b]", "B", true],
    ["(?i)[^b]", "B", false],
  ])("looks around %j in %j: %j", (source, text, expected) => {
    expect(searching(source, text)).toBe(expected);
  });

  test.each(["(a)\\1", "(?P<n>a)(?P=n)", "(?>a)", "a++", "a{2}+", "(?(1)a)", "a{100000}", "(?:){1000000000}"])(
    "%j is valid, but no state machine can run it",
    (source) => {
      expect(searching(source, "")).toBe("unsupported");
    },
  );

  test("lines, dots and case are as the caller says", () => {
    expect(searching("^b", "a\nb")).toBe(false);
    expect(searching("^b$", "a\nb\nc", { multiline: true })).toBe(true);
    expect(searching("a.c", "a\nc", { dotAll: true })).toBe(true);
    expect(searching("LAPTOP", "Laptop", { ignoreCase: true })).toBe(true);
  });

  test("match starts at the start", () => {
    const compiled = compilePython("b");
    expect(compiled.type === "pattern" && [compiled.pattern.match("ab"), compiled.pattern.match("ba")]).toEqual([
      false,
      true,
    ]);
  });

  test("a pattern that explodes elsewhere takes no time here, and a giant one is refused", () => {
    expect(searching("(x+x+)+y", "x".repeat(100_000))).toBe(false);
    expect(searching("(?!(x+x+)+y)(?=(x|x)*z)", "x".repeat(100_000))).toBe(false);
    expect(searching("a".repeat(1001), "")).toBe("unsupported");
  });

  test("nothing makes the translation throw", () => {
    const pieces = fc.constantFrom(
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      "?",
      "*",
      "+",
      "\\",
      "^",
      "$",
      "P<",
      ":",
      "1",
      ",",
      "x",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), fc.string(), (parts, text) => {
        expect(["boolean", "string"]).toContain(typeof searching(parts.join(""), text));
      }),
      { numRuns: 2000 },
    );
  });
});
