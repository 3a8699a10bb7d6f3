import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { findings } from "./findings.ts";
import { allCases } from "./findings/testing/all-cases.ts";
import { cluster, profileOf, soundSpec, surroundingsOf } from "./findings/testing/case.ts";
import { readFacts } from "./read-facts.ts";

const shown = ({ name, field }: { name: string; field: string }): string => `${name} ${field}`;

describe.each(Object.entries(allCases))("%s", (_, cases) => {
  it.each(cases)("$what", (one) => {
    const found = findings(profileOf(one), surroundingsOf(one));
    expect(found.map(shown)).toEqual(one.finds.map(([name, field]) => shown({ name, field })));
    for (const [position, [, , words = ""]] of one.finds.entries()) expect(found[position]?.message).toContain(words);
  });
});

describe("a list with too many faults", () => {
  const devices = Array.from({ length: 1000 }, () => ({ vendorID: "?" }));
  const found = findings(profileOf({ spec: { net: { devices } } }));

  it("is reported by its first faults", () => {
    expect(found.map(shown).slice(0, 2)).toEqual([
      "DeviceMalformed spec.net.devices[0].vendorID",
      "DeviceMalformed spec.net.devices[1].vendorID",
    ]);
    expect(found.filter(({ name }) => name === "DeviceMalformed")).toHaveLength(20);
    expect(found.map(({ name }) => name)).toContain("DevicesIgnored");
  });

  it("says how many more there are", () => {
    expect(found.filter(({ message }) => message.endsWith("(and 980 more like this)")).map(shown)).toEqual([
      "DeviceMalformed spec.net.devices[19].vendorID",
    ]);
  });
});

it.each([
  [60_000, /^Invalid value: "xxx.*xxx": is not JSON: /],
  // The part that repeats the value has cut it already.
  [250_000, /^Invalid value: "xxx.*xxx… \(250002 characters\): is not JSON: /],
])("a value of %d characters is cut, and the message keeps what is wrong with it", (length, expected) => {
  const read = readFacts(profileOf({ annotations: { "kubeletconfig.experimental": "x".repeat(length) } }));
  const [message = ""] = read.type === "unusable" ? read.findings.map((found) => found.message) : [];
  expect(message).toMatch(expected);
  expect(message.length).toBeLessThan(1000);
});

describe("an object that is not a profile", () => {
  const deep: unknown = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "profile"],
    ["a list", []],
    ["no metadata", { spec: {} }],
    ["a spec without a bottom", { metadata: { name: "a" }, spec: deep }],
    ["a selector without a bottom", { metadata: { name: "a" }, spec: { ...soundSpec, nodeSelector: { a: deep } } }],
    ["annotations without a bottom", { metadata: { name: "a", annotations: deep }, spec: soundSpec }],
  ])("%s has an error", (_, anything) => {
    const found = findings(anything as unknown as KubeObject, cluster());
    expect(found.filter(({ severity }) => severity === "error")).not.toEqual([]);
  });
});
