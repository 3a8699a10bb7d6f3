import { expect, test } from "vitest";
import type { ProfileSpec } from "./api.ts";
import { carries } from "./carries.ts";

const spec = (tunedProfile: string, texts: Record<string, string>, providerName?: string): ProfileSpec => ({
  config: { tunedProfile, ...(providerName === undefined ? {} : { providerName }) },
  profile: Object.entries(texts).map(([name, data]) => ({ name, data })),
});

test.each<[string, ProfileSpec, boolean]>([
  ["the same", spec("p", { p: "1", q: "2" }), true],
  ["in another order", spec("p", { q: "2", p: "1" }), true],
  ["with more texts", spec("p", { a: "", p: "1", q: "2" }), true],
  ["with no provider, said otherwise", spec("p", { p: "1", q: "2" }, ""), true],
  ["with another text", spec("p", { p: "1", q: "3" }), false],
  ["without a text", spec("p", { p: "1" }), false],
  ["without any", { config: { tunedProfile: "p" } }, false],
  ["with another profile", spec("q", { p: "1", q: "2" }), false],
  ["on another cloud", spec("p", { p: "1", q: "2" }, "aws"), false],
])("a Profile %s", (_, one, expected) => {
  expect(carries(one, spec("p", { p: "1", q: "2" }))).toBe(expected);
});
