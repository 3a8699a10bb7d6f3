import { expect, test } from "vitest";
import { apiVersion, type ProfileSpec, type Tuned } from "./api.ts";
import { inputsOf, shippedInputs } from "./inputs.ts";

const spec: ProfileSpec = { config: { tunedProfile: "p" }, profile: [{ name: "p", data: "x" }] };

test.each<[string, ProfileSpec, boolean]>([
  ["the same again", structuredClone(spec), true],
  ["another profile", { ...spec, config: { tunedProfile: "q" } }, false],
  ["another provider", { ...spec, config: { ...spec.config, providerName: "aws" } }, false],
  ["another text", { ...spec, profile: [{ name: "p", data: "y" }] }, false],
  ["another text beside it", { ...spec, profile: [...(spec.profile ?? []), { name: "q", data: "" }] }, false],
  ["how much the agent logs", { ...spec, config: { ...spec.config, verbosity: 9, debug: true } }, true],
])("boot arguments computed from %s: current %j", (_, other, same) => {
  expect(inputsOf(other) === inputsOf(spec)).toBe(same);
});

const tuned = (name: string, generation: number): Tuned => ({
  apiVersion,
  kind: "Tuned",
  metadata: { name, generation },
});

test.each<[string, Tuned[], string]>([
  ["4.22.0", [tuned("default", 1), tuned("b", 3), tuned("a", 2)], "4.22.0,a:2,b:3,default:1"],
  ["", [tuned("default", 1), tuned("b", 3), tuned("a", 2)], "a:2,b:3,default:1"],
  ["", [tuned("a-1", 1), tuned("a", 1), tuned("a.1", 1)], "a:1,a-1:1,a.1:1"],
])("under the shipped protocol they come from the release %j and every Tuned by name", (release, tuneds, expected) => {
  expect(shippedInputs(tuneds, release)).toBe(expected);
});
