import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { error, type FieldFinding, warning } from "../finding.ts";
import { newErrors, valueAt } from "./ratchet.ts";

const profile = (cpu: object, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: "performance.openshift.io/v2",
  kind: "PerformanceProfile",
  metadata: { name: "p", labels },
  spec: { cpu },
});

const found = (field: string, message = "is wrong"): FieldFinding =>
  error("Wrong", { reason: "FieldValueInvalid", field, message });

describe("an error", () => {
  const before = { profile: profile({ isolated: "9" }), findings: [found("spec.cpu.isolated")] };
  it.each<[string, object, FieldFinding, boolean]>([
    ["was there before, and nothing was changed", { isolated: "9" }, found("spec.cpu.isolated"), false],
    ["was there before, and something else was changed", { isolated: "9", x: 1 }, found("spec.cpu.isolated"), false],
    ["was there before, and what it is about was changed", { isolated: "8" }, found("spec.cpu.isolated"), true],
    ["is another one of the same field", { isolated: "9" }, found("spec.cpu.isolated", "is wrong in two ways"), true],
    ["is about another field", { isolated: "9" }, found("spec.cpu.reserved"), true],
  ])("that %s", (_, cpu, finding, isNew) => {
    const after = { profile: profile(cpu, { a: "b" }), findings: [finding] };
    expect(newErrors({ before, after })).toEqual(isNew ? [finding] : []);
  });

  it("is no warning", () => {
    const reported = warning("Reported", { reason: "FieldValueInvalid", field: "spec", message: "m" });
    expect(newErrors({ before, after: { profile: profile({}), findings: [reported] } })).toEqual([]);
  });
});

it.each([
  ["spec.pages[1].size", "1G"],
  ["metadata.annotations[a.io/b.c]", "x"],
  ["spec.pages[7].size", undefined],
  ["spec.constructor", undefined],
  ["", "all"],
])("the value at %j is %j", (path, expected) => {
  const object = {
    metadata: { annotations: { "a.io/b.c": "x" } },
    spec: { pages: [{ size: "2M" }, { size: "1G" }] },
  };
  expect(valueAt(object, path)).toEqual(expected === "all" ? object : expected);
});
