import { expect, test } from "vitest";
import { builtIns } from "./functions/catalogue.ts";
import { parseProfile } from "./text/parse-profile.ts";
import { baseProfiles } from "./profiles/base-profiles.ts";
import { noAnswers } from "./probe.ts";
import { preview } from "./resolve.ts";
import { changesOtherFiles, lackedBy, newSince220, otherFiles, usedFeatures } from "./version-differences.ts";

function lacking(version: string, name: string, layer = baseProfiles()): string[] {
  const result = preview({ profile: name, layers: [layer] }, noAnswers);
  if (result.type !== "preview") throw new Error(JSON.stringify(result.problems));
  const texts = result.profile.chain.flatMap((one) => layer.get(one) ?? []);
  return lackedBy(version, usedFeatures(result.profile, texts)).toSorted();
}

test.each<[string, string[]]>([
  [
    "[main]\ninclude=-${f:lscpu_check:a:b}\n[sysctl]\nk=${f:strip:${f:log:x}}\n",
    ["function log", "function lscpu_check"],
  ],
  ["[a]\ntype=acpi\nx=1\n[cpu]\nboost=1\n", ["option cpu.boost", "plug-in acpi"]],
  ["[v]\ntype=variables\nprepend=1\n", ["prepend for variables", "variables in a section [v]"]],
  ["[sysctl]\nvm.dirty_ratio=1\npriority=3\n", []],
  ["[sysctl]\nk=\\${f:log:x}\n", []],
])("%j has what 2.20 lacks: %j", (text, expected) => {
  const layer = new Map([["p", parseProfile(text, "p")]]);
  expect(lacking("2.20.0", "p", layer)).toEqual(expected);
  expect(lacking("2.28.0", "p", layer)).toEqual([]);
});

test("what is new in 2.28 is implemented here", () => {
  expect([...newSince220.functions].filter((name) => !builtIns.has(name))).toEqual([]);
});

test("the base profiles are written for 2.28", () => {
  expect(lacking("2.20.0", "latency-performance")).toContain("plug-in acpi");
  expect(lacking("2.28.0", "latency-performance")).toEqual([]);
});

test("versions before 2.28 change other files for [systemd] and [irqbalance]", () => {
  const layer = new Map([["p", parseProfile("[systemd]\ncpu_affinity=0\n[irqbalance]\nenabled=0\n", "p")]]);
  const result = preview({ profile: "p", layers: [layer] }, noAnswers);
  if (result.type !== "preview") throw new Error(JSON.stringify(result.problems));
  expect(otherFiles(result.profile, "2.20.0")).toEqual(["/etc/systemd/system.conf"]);
  expect(otherFiles(result.profile, "2.28.0")).toEqual([]);
  expect([changesOtherFiles("irqbalance", "2.20.0"), changesOtherFiles("sysctl", "2.20.0")]).toEqual([true, false]);
});
