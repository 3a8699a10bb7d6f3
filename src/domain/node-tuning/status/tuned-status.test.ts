import { expect, test } from "vitest";
import { apiVersion, type TunedSpec } from "../api.ts";
import { tunedWarnings } from "./tuned-status.ts";

const text = "[main]\nsummary=x\n";

test.each<[string, TunedSpec | undefined, string[]]>([
  ["no spec", undefined, []],
  ["a profile and a rule", { profile: [{ name: "p", data: text }], recommend: [{ profile: "p", priority: 1 }] }, []],
  ["a rule that names a profile of another Tuned", { recommend: [{ profile: "elsewhere", priority: 1 }] }, []],
  [
    "the same profile twice",
    {
      profile: [
        { name: "p", data: text },
        { name: "p", data: text },
      ],
    },
    [],
  ],
  [
    "two profiles of a name",
    {
      profile: [
        { name: "p", data: text },
        { name: "p", data: `${text}# other\n` },
      ],
    },
    ['profile[1]: another profile named "p" has a different text'],
  ],
  [
    "a name with a path",
    { profile: [{ name: "../p", data: text }] },
    ['profile[0].name: "../p" is not a valid name of a profile'],
  ],
  [
    "a text that is not a profile",
    { profile: [{ name: "p", data: "[main\n" }] },
    [expect.stringMatching(/^profile\[0\]\.data:1: .*; TuneD rejects the whole profile$/) as string],
  ],
  [
    "a match tree with a string in it",
    { recommend: [{ profile: "p", priority: 1, match: [{ label: "x", match: ["y"] as never }] }] },
    ["recommend[0].match[0].match[0] is not an object; the rule is not used"],
  ],
])("warnings about a Tuned: %s", (_, spec, warnings) => {
  expect(tunedWarnings({ apiVersion, kind: "Tuned", metadata: { name: "t" }, ...(spec ? { spec } : {}) })).toEqual(
    warnings,
  );
});
