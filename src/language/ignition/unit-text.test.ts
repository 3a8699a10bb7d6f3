import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignment, parseUnit, unitText, type UnitSection } from "./unit-text.ts";

const plain = (unit: ReturnType<typeof parseUnit>) =>
  Object.fromEntries([...unit].map(([name, options]) => [name, Object.fromEntries(options)]));

describe("a unit's text", () => {
  test("has its sections and options in order", () => {
    const sections: UnitSection[] = [
      [
        "Unit",
        [
          ["Description", "A"],
          ["Before", "b.service"],
          ["Before", "c.service"],
        ],
      ],
      ["Slice", []],
      ["Install", [["WantedBy", "multi-user.target"]]],
    ];
    expect(unitText(sections)).toBe(
      "[Unit]\nDescription=A\nBefore=b.service\nBefore=c.service\n\n[Slice]\n\n[Install]\nWantedBy=multi-user.target\n",
    );
  });

  test("has continuation lines for a value of several lines", () => {
    const text = unitText([
      [
        "Service",
        [
          ["ExecStart", "/bin/echo one\ntwo"],
          ["Type", "oneshot"],
        ],
      ],
    ]);
    expect(text).toBe("[Service]\nExecStart=/bin/echo one \\\n  two\nType=oneshot\n");
    expect(plain(parseUnit(text))).toEqual({ Service: { ExecStart: ["/bin/echo one    two"], Type: ["oneshot"] } });
  });

  test("never lets a value become an option", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("\n", "\r", "[", "]", "=", "a", " ", "#") }), (value) => {
        const unit = parseUnit(unitText([["Service", [["Type", `x${value}x`]]]]));
        expect([...unit.keys()]).toEqual(["Service"]);
        expect([...(unit.get("Service")?.keys() ?? [])]).toEqual(["Type"]);
      }),
    );
  });
});

describe("a variable", () => {
  test.each([
    ["2-3,8", "CPUS=2-3,8"],
    ["", "CPUS="],
    ["100%", "CPUS=100%%"],
    ["a b", '"CPUS=a b"'],
    ['say "x\\y"', '"CPUS=say \\"x\\\\y\\""'],
    ["a\nExecStart=b", '"CPUS=a\\nExecStart=b"'],
  ])("with the value %j is one word", (value, text) => {
    expect(assignment("CPUS", value)).toBe(text);
  });
});

describe("reading a unit", () => {
  test.each<[string, string, Record<string, Record<string, string[]>>]>([
    ["nothing", "", {}],
    ["values in order", "[A]\nk=1\nk=2\n", { A: { k: ["1", "2"] } }],
    ["a section in two parts", "[A]\nk=1\n[B]\n[A]\nl=2\n", { A: { k: ["1"], l: ["2"] }, B: {} }],
    ["comments", "# a\n[A]\n; b\nk=1 # no comment\n", { A: { k: ["1 # no comment"] } }],
    ["blanks", "  [A]  \n k  =  1 \n", { A: { k: ["1"] } }],
    ["a value with an equals sign", "[A]\nEnvironment=X=1\n", { A: { Environment: ["X=1"] } }],
    ["an empty value, which takes back earlier ones", "[A]\nk=1\nk=\n", { A: { k: ["1", ""] } }],
    ["a value that goes on", "[A]\nk=1 \\\n2\nl=3\n", { A: { k: ["1  2"], l: ["3"] } }],
    ["a comment within a value", "[A]\nk=1\\\n# why\n; why\n2\n", { A: { k: ["1 2"] } }],
    ["an empty line within a value", "[A]\nk=1\\\n\nl=2\n", { A: { k: ["1"], l: ["2"] } }],
    ["an escaped backslash", "[A]\nk=1\\\\\nl=2\n", { A: { k: ["1\\\\"], l: ["2"] } }],
    ["a value that goes on beyond the end", "[A]\nk=1\\", { A: { k: ["1"] } }],
    ["options before any section", "k=1\n[A]\n", { A: {} }],
    ["lines that are nothing", "[A]\nword\n=x\n[B\n", { A: {} }],
    ["names that objects have", "[__proto__]\nconstructor=1\n", { ["__proto__"]: { constructor: ["1"] } }],
    ["line ends of other systems", "[A]\r\nk=1\r\n", { A: { k: ["1"] } }],
  ])("understands %s", (_, text, unit) => {
    expect(plain(parseUnit(text))).toEqual(unit);
  });
});
