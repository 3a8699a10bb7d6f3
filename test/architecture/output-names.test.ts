import { describe, expect, it } from "vitest";

/** Not a literal: the script has no types. */
const script = "../../scripts/output-names.mjs";
const { OutputNames } = (await import(script)) as {
  OutputNames: new () => { claim(name: string, source: string): void };
};

describe("names of the bundle's outputs", () => {
  it("may be claimed again by the same source", () => {
    const outputs = new OutputNames();
    outputs.claim("plan", "src/plan/plan.ts");
    outputs.claim("explain", "src/explain/explain.ts");
    expect(() => outputs.claim("plan", "src/plan/plan.ts")).not.toThrow();
  });

  it("may not be those of another source", () => {
    const outputs = new OutputNames();
    outputs.claim("plan", "src/plan/plan.ts");
    expect(() => outputs.claim("plan", "src/other/plan.ts")).toThrow(
      'bundle: src/plan/plan.ts and src/other/plan.ts would both be written as "plan": rename one of them',
    );
  });
});
