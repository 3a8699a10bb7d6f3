import { expect, test } from "vitest";
import { apiVersion, type TunedSpec } from "../api.ts";
import { tunedWarnings } from "./tuned-warnings.ts";

const text = "[main]\nsummary=x\n";

test.each<[string, TunedSpec | undefined, string[]]>([
  ["nothing is wrong with nothing", undefined, []],
  ["a profile and a rule", { profile: [{ name: "p", data: text }], recommend: [{ profile: "p", priority: 1 }] }, []],
  ["a rule may name a profile that is elsewhere", { recommend: [{ profile: "elsewhere", priority: 1 }] }, []],
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
    ['profile[1]: another profile of the name "p" has a different text'],
  ],
  [
    "a name that leads elsewhere",
    { profile: [{ name: "../p", data: text }] },
    ['profile[0].name: "../p" cannot be the name of a profile'],
  ],
  [
    "a text that is no profile",
    { profile: [{ name: "p", data: "[main\n" }] },
    [expect.stringMatching(/^profile\[0\]\.data:1: .*; TuneD refuses the whole profile$/) as string],
  ],
  [
    "a tree with something else in it",
    { recommend: [{ profile: "p", priority: 1, match: [{ label: "x", match: ["y"] as never }] }] },
    ["recommend[0].match[0].match[0] is not an object; the rule is not used"],
  ],
])("%s", (_, spec, warnings) => {
  expect(tunedWarnings({ apiVersion, kind: "Tuned", metadata: { name: "t" }, ...(spec ? { spec } : {}) })).toEqual(
    warnings,
  );
});
