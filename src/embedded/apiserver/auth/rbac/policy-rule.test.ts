import { describe, expect, it } from "vitest";
import { uncovered, type PolicyRule } from "./policy-rule.ts";

const words = (letter: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${letter}${i}`);
const product = (count: number): PolicyRule => ({
  verbs: words("v", count),
  apiGroups: words("g", count),
  resources: words("r", count),
  resourceNames: words("n", count),
});

describe("a rule that means billions of parts", () => {
  it("is covered by an equal rule", () => {
    expect(uncovered([product(300)], [product(300)])).toEqual([]);
    expect(uncovered([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], [product(300)])).toEqual([]);
  });

  it("is otherwise not covered, without enumerating it", () => {
    expect(uncovered([], [product(300)])).toHaveLength(1_000);
    const almost = { ...product(300), verbs: words("v", 299) };
    expect(uncovered([almost], [product(300)]).length).toBeGreaterThan(0);
  });

  it("of normal size is compared part by part", () => {
    const halves = [
      { ...product(4), verbs: ["v0", "v1"] },
      { ...product(4), verbs: ["v2", "v3"] },
    ];
    expect(uncovered(halves, [product(4)])).toEqual([]);
    expect(uncovered(halves.slice(1), [product(4)])).toHaveLength(128);
  });
});
