import { expect, test } from "vitest";
import { apiVersion, type ProfileSpec, type Tuned } from "./api.ts";
import { carries, inputsOf, shippedInputs } from "./node-profile.ts";

const spec: ProfileSpec = { config: { tunedProfile: "p" }, profile: [{ name: "p", data: "x" }] };

test.each<[string, ProfileSpec, boolean]>([
  ["the same again", structuredClone(spec), true],
  ["another profile", { ...spec, config: { tunedProfile: "q" } }, false],
  ["another provider", { ...spec, config: { ...spec.config, providerName: "aws" } }, false],
  ["another text", { ...spec, profile: [{ name: "p", data: "y" }] }, false],
  ["another text beside it", { ...spec, profile: [...(spec.profile ?? []), { name: "q", data: "" }] }, false],
  ["another verbosity of the agent", { ...spec, config: { ...spec.config, verbosity: 9, debug: true } }, true],
])("inputs of boot arguments, with %s: equal %j", (_, other, same) => {
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
])("inputs under the shipped protocol are the release %j and every Tuned by name", (release, tuneds, expected) => {
  expect(shippedInputs(tuneds, release)).toBe(expected);
});

const profile = (tunedProfile: string, texts: Record<string, string>, providerName?: string): ProfileSpec => ({
  config: { tunedProfile, ...(providerName === undefined ? {} : { providerName }) },
  profile: Object.entries(texts).map(([name, data]) => ({ name, data })),
});

test.each<[string, ProfileSpec, boolean]>([
  ["the same", profile("p", { p: "1", q: "2" }), true],
  ["in another order", profile("p", { q: "2", p: "1" }), true],
  ["with more texts", profile("p", { a: "", p: "1", q: "2" }), true],
  ["with an empty provider", profile("p", { p: "1", q: "2" }, ""), true],
  ["with another text", profile("p", { p: "1", q: "3" }), false],
  ["without a text", profile("p", { p: "1" }), false],
  ["without any", { config: { tunedProfile: "p" } }, false],
  ["with another profile", profile("q", { p: "1", q: "2" }), false],
  ["with another provider", profile("p", { p: "1", q: "2" }, "aws"), false],
])("carries what is wanted: a Profile %s", (_, one, expected) => {
  expect(carries(one, profile("p", { p: "1", q: "2" }))).toBe(expected);
});
