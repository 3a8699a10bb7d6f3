import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checks, clusterChecks, findings } from "../../src/domain/performance-profile/findings.ts";
import { allCases } from "../../src/domain/performance-profile/findings/testing/all-cases.ts";
import { surroundingsOf, profileOf } from "../../src/domain/performance-profile/findings/testing/case.ts";
import { root } from "../architecture/imports.ts";

const folder = join(root, "src/domain/performance-profile");
const documented = rowsOf(readFileSync(join(root, "docs/findings.md"), "utf8"));
const produced = new Set(
  Object.values(allCases)
    .flat()
    .flatMap((one) => findings(profileOf(one), surroundingsOf(one)))
    .map(({ name, severity }) => `${name} ${severity}`),
);

/** `| `Name` | error | …` */
function rowsOf(markdown: string): string[] {
  return Array.from(
    markdown.matchAll(/^\| `(\w+)` \| (error|warning) \| .+ \| .+ \|$/gm),
    ([, name, severity]) => `${name} ${severity}`,
  );
}

/** Names of findings outside the list of checks. */
function reportedNames(): string[] {
  const readers = readdirSync(join(folder, "read")).map((name) => join("read", name));
  return ["read-facts.ts", "refusals.ts", ...readers].flatMap((path) =>
    Array.from(
      readFileSync(join(folder, path), "utf8").matchAll(/(?:\b(?:report|fault)\(\s*|^\s*\[)"([A-Z]\w+)"/gm),
      ([, name]) => name ?? "",
    ),
  );
}

describe("every finding", () => {
  it("is in the table once", () => {
    expect(documented.length).toBeGreaterThan(50);
    expect(documented).toEqual([...new Set(documented)]);
  });

  it("of a check is documented with its severity", () => {
    const listed = [...checks, ...clusterChecks].map(({ name, severity }) => `${name} ${severity}`);
    expect(listed.filter((one) => !documented.includes(one))).toEqual([]);
  });

  it("of reading and deriving is documented as an error", () => {
    const names = reportedNames();
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !documented.includes(`${name} error`))).toEqual([]);
  });

  it("in the table has a case, and every case is in the table", () => {
    expect([...produced].toSorted()).toEqual(documented.toSorted());
  });
});
