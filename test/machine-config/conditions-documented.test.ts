import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../architecture/imports.ts";

const page = readFileSync(join(root, "docs/rollout.md"), "utf8");

/** The texts of a folder's sources, without folders below it. */
function sources(folder: string): string {
  const path = join(root, "src/domain", folder);
  const files = readdirSync(path).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  return files.map((name) => readFileSync(join(path, name), "utf8")).join("\n");
}

const names = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name))].toSorted();

/** Names in the first column of a table with this heading. */
function rows(heading: string): string[] {
  const table = page.slice(page.indexOf(`| ${heading} |`)).split("\n\n")[0] ?? "";
  const cells = table.split("\n").slice(2);
  return cells.flatMap((row) => names(row.split("|")[1] ?? "", /`(\w+)`/g)).toSorted();
}

describe("docs/rollout.md has", () => {
  const rollout = sources("rollout");

  it("every condition of a pool", () => {
    const written = names(rollout, /conditions\.(?:set|setIfEverTrue)\("(\w+)"/g);
    expect(written.length).toBeGreaterThan(8);
    expect(rows("condition of a pool")).toEqual(written);
  });

  it("every reason for which a rollout waits, and of conditions", () => {
    const literal = names(rollout, /reason: "([A-Z]\w+)"/g);
    const chosen = names(rollout, /const reason = .*"([A-Z]\w+)";/g);
    const first = names(rollout, /const reason = .*\? "([A-Z]\w+)"/g);
    expect([...chosen, ...first]).not.toEqual([]);
    for (const reason of [...literal, ...chosen, ...first]) expect(page).toContain(`\`${reason}\``);
    for (const reason of rows("reason of `RolloutBlocked`")) expect(rollout).toContain(`"${reason}"`);
  });

  it("every reason of a PerformanceProfile", () => {
    const text = sources("performance-profile");
    const written = names(text, /\b(?:progressing|degraded)\(\s*"(\w+)"/g);
    const chosen = names(text, /\? "(\w+)"\n\s+: "\w+";\n\s+return degraded\(/g);
    expect(chosen).toEqual(["OvsDpdkCPUsPrerequisiteNotMet"]);
    expect(rows("reason")).toEqual([...written, ...chosen].toSorted());
  });
});
