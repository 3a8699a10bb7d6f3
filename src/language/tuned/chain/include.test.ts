import { expect, test } from "vitest";
import { certainIncludes, mayInclude, parseIncludes, splitUnexpanded } from "./include.ts";

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
])("the include %j may name %j: %j", (text, profile, expected) => {
  expect(mayInclude(text, profile)).toBe(expected);
});

test("entries that are not yet expanded are not split inside a call", () => {
  expect(splitUnexpanded("-provider-${f:exec:echo:a,b}, openshift;")).toEqual([
    { name: "provider-${f:exec:echo:a,b}", optional: true },
    { name: "openshift", optional: false },
  ]);
});

test.each<[string, string[]]>([
  ["${f:virt_check:vm:bare}", ["bare", "vm"]],
  [
    "a${f:regex_search_ternary:${f:exec:uname:-r}:rt:,a-rt:};b-${f:lscpu_check:ID\\:\\s*Intel:intel:ID\\:\\s*AMD:amd}-x",
    ["a", "a-rt", "b-amd-x", "b-intel-x"],
  ],
  ["-p-${f:cpuinfo_check:x:one:other}-${f:exec:id}", ["-p-one-${f:exec:id}", "-p-other-${f:exec:id}"]],
  ["${f:virt_check:${f:virt_check:a:b}:c}", ["a", "b", "c"]],
  ["${f:virt_check:a", ["${f:virt_check:a"]],
])("each word of a choice is an entry: %j", (text, expected) => {
  const entries = splitUnexpanded(text).map(({ name, optional }) => (optional ? `-${name}` : name));
  expect(entries.toSorted()).toEqual(expected);
});

test("nested choices are followed up to a limit", () => {
  expect(splitUnexpanded("${f:virt_check:a:b}".repeat(400)).length).toBeLessThan(100);
  expect(splitUnexpanded("${f:virt_check:a:b}".repeat(4000))).toHaveLength(1);
});

test("certain entries are those that need no expansion", () => {
  expect(certainIncludes("a,b-${f:exec:x:,c};-d").map(({ name }) => name)).toEqual(["a", "d"]);
});
