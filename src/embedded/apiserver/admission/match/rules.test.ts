import { describe, expect, it } from "vitest";
import { Registry } from "../../registry.ts";
import type { Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { attributesOf, resourceNamed } from "../testing/attributes.ts";
import { matchesRules, type Rule } from "./rules.ts";

const all: Rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
const registry = new Registry([resourceNamed("pods")]);

describe("a rule", () => {
  const pod = attributesOf("pods");
  const status = attributesOf("pods", { subresource: "status", operation: "UPDATE" });
  const deployment = attributesOf("deployments");
  const namespace = attributesOf("namespaces", { name: "blue", namespace: "blue" });
  const node = attributesOf("nodes");
  it.each<[string, Partial<Rule>, Attributes, boolean]>([
    ["names everything", {}, pod, true],
    ["names an operation", { operations: ["CREATE"] }, pod, true],
    ["names another operation", { operations: ["UPDATE", "DELETE"] }, pod, false],
    ["names no operation", { operations: [] }, pod, false],
    ["names the core group", { apiGroups: [""] }, pod, true],
    ["names the core group, but apps is meant", { apiGroups: [""] }, deployment, false],
    ["names another version", { apiVersions: ["v2"] }, pod, false],
    ["names the resource", { resources: ["pods"] }, pod, true],
    ["names every resource without parts", { resources: ["*"] }, pod, true],
    ["names the resource, but its part is written", { resources: ["pods"] }, status, false],
    ["names every resource without parts, but a part is written", { resources: ["*"] }, status, false],
    ["names the part", { resources: ["pods/status"] }, status, true],
    ["names every part", { resources: ["pods/*"] }, status, true],
    ["names every part, the whole among them", { resources: ["pods/*"] }, pod, true],
    ["names the part of every resource", { resources: ["*/status"] }, status, true],
    ["names another part of every resource", { resources: ["*/scale"] }, status, false],
    ["is about namespaces' content", { scope: "Namespaced" }, pod, true],
    ["is about the cluster, not a namespace's content", { scope: "Cluster" }, pod, false],
    ["is about the cluster", { scope: "Cluster" }, node, true],
    ["is about the cluster, where namespaces lie", { scope: "Cluster" }, namespace, true],
    ["is about namespaces' content, not namespaces", { scope: "Namespaced" }, namespace, false],
    ["names the object", { resourceNames: ["p", "q"] }, pod, true],
    ["names other objects", { resourceNames: ["q"] }, pod, false],
    ["names no objects", { resourceNames: [] }, pod, true],
  ])("that %s", (_, rule, attributes, matches) => {
    const found = matchesRules({ rules: [{ ...all, resources: ["*/*"], ...rule }] }, attributes, registry);
    expect(found).toBe(matches ? attributes.resource : undefined);
  });

  it("does not match what an exclude rule matches", () => {
    const exclude = [{ ...all, resourceNames: ["p"] }];
    expect(matchesRules({ rules: [all], exclude }, pod, registry)).toBeUndefined();
    expect(matchesRules({ rules: [all], exclude }, { ...pod, name: "q" }, registry)).toBe(pod.resource);
  });
});

describe("versions of a kind", () => {
  const [v1, v2] = ["v1", "v2"].map((version): Resource => ({
    ...resourceNamed("pods"),
    group: "example.com",
    version,
    plural: "widgets",
  })) as [Resource, Resource];
  const versions = new Registry([v1, v2]);
  const widget = attributesOf("widgets", { resource: v2 });
  const rule: Rule = { ...all, apiVersions: ["v0", "v1"], resources: ["widgets"] };
  it.each([
    ["Equivalent", v1],
    ["Exact", undefined],
    [undefined, undefined],
  ])("under matchPolicy %s", (matchPolicy, expected) => {
    expect(matchesRules({ rules: [rule], matchPolicy }, widget, versions)).toBe(expected);
  });

  it("are also excluded by an equivalent version", () => {
    const rules = { rules: [all], exclude: [rule], matchPolicy: "Equivalent" };
    expect(matchesRules(rules, widget, versions)).toBeUndefined();
  });

  it("match as requested if a rule names that version", () => {
    expect(matchesRules({ rules: [rule, all], matchPolicy: "Equivalent" }, widget, versions)).toBe(v2);
  });
});
