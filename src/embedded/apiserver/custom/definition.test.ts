import { describe, expect, it } from "vitest";
import { deprecationWarning } from "./definition.ts";

const versions = [
  { name: "v1", served: true },
  { name: "v2", served: false },
  { name: "v2alpha1", served: true, deprecated: true },
  { name: "v1beta1", served: true, deprecated: true, deprecationWarning: "come to v1" },
  { name: "v1beta2", served: true },
  { name: "v3", served: true, deprecated: true },
];

describe("the deprecation warning of a version", () => {
  it.each([
    ["that is not deprecated is absent", "v1", undefined],
    ["that is deprecated is that of its author", "v1beta1", "come to v1"],
    [
      "without text names the best version that is not deprecated",
      "v2alpha1",
      "a.example/v2alpha1 Dial is deprecated; use a.example/v1 Dial",
    ],
    ["without a better version only says that it is deprecated", "v3", "a.example/v3 Dial is deprecated"],
  ])("%s", (_, name, expected) => {
    const version = versions.find((version) => version.name === name) ?? {};
    expect(deprecationWarning({ group: "a.example", names: { kind: "Dial" }, versions }, version)).toBe(expected);
  });
});
