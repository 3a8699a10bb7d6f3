import { expect, test } from "vitest";
import { mayInclude, parseIncludes, splitUnexpanded } from "./include.ts";

test.each([
  ["a,b ; -c", ["a", "b", "-c"]],
  ["a b", ["a b"]],
  ["../../etc/x", ["x"]],
  ["a,", ["a", ""]],
])("the include %j names %j", (text, expected) => {
  expect(parseIncludes(text).map(({ name, optional }) => (optional ? `-${name}` : name))).toEqual(expected);
});

test.each([
  ["openshift", "openshift", true],
  ["openshift", "openshift-node", false],
  ["provider-${f:exec:cat:/x}", "provider-aws", true],
  ["provider-${f:exec:cat:/x}", "openshift", false],
  ["${a}-x-${b}-rt", "1-rt", true],
  ["ab${x}bc", "abc", false],
])("%j may come to mean %j: %j", (text, profile, expected) => {
  expect(mayInclude(text, profile)).toBe(expected);
});

test("entries that have yet to be expanded are not cut inside a call", () => {
  expect(splitUnexpanded("-provider-${f:exec:echo:a,b}, openshift;")).toEqual([
    { name: "provider-${f:exec:echo:a,b}", optional: true },
    { name: "openshift", optional: false },
  ]);
});
