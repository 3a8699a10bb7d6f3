import { expect, test } from "vitest";
import { builtIns } from "./functions/catalogue.ts";
import { parseProfile } from "./text/parse-profile.ts";
import { baseProfiles } from "./profiles/base-profiles.ts";
import { newSince220, unknownTo220 } from "./version-differences.ts";

test.each<[string, string[]]>([
  [
    "[main]\ninclude=${f:lscpu_check:a:b}\n[sysctl]\nk=${f:strip:${f:log:x}}\n",
    ["function log", "function lscpu_check"],
  ],
  ["[a]\ntype=acpi\n[cpu]\nboost=1\n", ["option boost of plug-in cpu", "plug-in acpi"]],
  ["[v]\ntype=variables\nprepend=1\n", ["attribute prepend", "variables in a section [v]"]],
  ["[sysctl]\nvm.dirty_ratio=1\npriority=3\n", []],
])("%j has what 2.20 lacks: %j", (text, expected) => {
  expect(unknownTo220([parseProfile(text, "p")])).toEqual(expected);
});

test("what is new is what we have, too", () => {
  expect([...newSince220.functions].filter((name) => !builtIns.has(name))).toEqual([]);
});

test("the base profiles are written for 2.28", () => {
  expect(unknownTo220(baseProfiles().values())).toContain("plug-in acpi");
});
