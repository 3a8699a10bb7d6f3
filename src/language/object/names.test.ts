import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  annotationKey,
  asPrefix,
  configMapKey,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  pathSegment,
  qualifiedName,
} from "./names.ts";

const rules: Record<string, NameRule> = {
  dnsSubdomain,
  dnsLabel,
  dns1035Label,
  qualifiedName,
  annotationKey,
  labelValue,
  configMapKey,
  pathSegment,
};

describe("names", () => {
  it.each([
    ["dnsSubdomain", ["a", "a.b-c.9", "a".repeat(253)]],
    ["dnsLabel", ["a", "9-a", "a".repeat(63)]],
    ["dns1035Label", ["a", "a-9"]],
    ["qualifiedName", ["a", "A_b.c-9", "example.com/A"]],
    ["annotationKey", ["Example.COM/a"]],
    ["labelValue", ["", "a", "A_b.c"]],
    ["configMapKey", ["a", "_", ".a", "A-b_c.d"]],
    ["pathSegment", ["a b", "ü", "..."]],
  ])("%s accepts %j", (rule, names) => {
    for (const name of names) expect(rules[rule]!(name)).toEqual([]);
  });

  it.each([
    ["dnsSubdomain", ["", "A", "a..b", "-a", "a-", ".a", "a.", "a_b", "ä"]],
    ["dnsLabel", ["", "A", "-a", "a-", "a b"]],
    ["dns1035Label", ["", "9a", "a."]],
    ["qualifiedName", ["", "a/b/c", "/a", "a/", "A.com/a", "-a", "a b"]],
    ["labelValue", ["-a", "a/b", "a-", " "]],
    ["configMapKey", ["", "a/b", ".", "..", "..a"]],
    ["pathSegment", [".", "..", "a/b", "a%b"]],
  ])("%s refuses %j", (rule, names) => {
    for (const name of names) expect(rules[rule]!(name), name).not.toEqual([]);
  });

  it.each([
    [dnsLabel, "a.b", ["must not contain dots"]],
    [
      dnsLabel,
      "A",
      [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    [dnsSubdomain, "a".repeat(254), ["must be no more than 253 characters"]],
    [labelValue, "a".repeat(64), ["must be no more than 63 characters"]],
    [pathSegment, "a/%", ["may not contain '/'", "may not contain '%'"]],
    [pathSegment, "..", ["may not be '..'"]],
  ])("the reasons are those of kube-apiserver", (rule, name, reasons) => {
    expect(rule(name)).toEqual(reasons);
  });

  it("scanners agree with the regular expressions in the messages", () => {
    const expressions: [NameRule, RegExp][] = [
      [dnsSubdomain, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/],
      [dnsLabel, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/],
      [dns1035Label, /^[a-z]([-a-z0-9]*[a-z0-9])?$/],
      [labelValue, /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/],
      [configMapKey, /^(?!\.{1,2}$)(?!\.\.)[-._a-zA-Z0-9]+$/],
    ];
    const text = fc.string({ unit: fc.constantFrom("a", "Z", "0", "-", ".", "_", "/", "é"), maxLength: 8 });
    fc.assert(
      fc.property(text, fc.constantFrom(...expressions), (name, [rule, expression]) => {
        expect(rule(name).length === 0).toBe(expression.test(name));
      }),
    );
  });

  it("a prefix may end in a dash", () => {
    expect(dnsSubdomain(asPrefix("web-"))).toEqual([]);
    expect(dnsSubdomain(asPrefix("Web-"))).not.toEqual([]);
  });
});
