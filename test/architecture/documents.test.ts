import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./imports.ts";

/** Not written by us, or made by a build. */
const ignored = new Set([".git", "node_modules", "dist"]);

const files = filesBelow("");
const documents = files.filter((path) => path.endsWith(".md"));

describe("documents", () => {
  it("are found", () => {
    expect(documents).toContain("README.md");
    expect(documents.length).toBeGreaterThan(30);
  });

  it.each(documents)("%s links only to files that exist", (document) => {
    expect(linksOf(textOf(document)).filter((link) => !isThere(document, link))).toEqual([]);
  });

  it.each(documents)("%s names only files and folders that exist", (document) => {
    expect(pathsIn(textOf(document)).filter((path) => !isKnown(document, path))).toEqual([]);
  });
});

describe("decisions", () => {
  const decisions = documents.filter((path) => path.startsWith("docs/decisions/"));

  it("are numbered without gaps or duplicates", () => {
    const numbers = decisions.map((path) => Number(/\/(\d{4})-/.exec(path)?.[1])).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it.each(decisions)("%s has its number in its title", (path) => {
    expect(textOf(path)).toMatch(new RegExp(`^# ${Number(/\/(\d{4})-/.exec(path)?.[1])}\\. `));
  });
});

describe("what counts as a path", () => {
  it("is a link that stays in the repository, without its anchor", () => {
    const text = "[a](docs/a.md#part) [b](https://example.org/b.md) [c](#part) [d](../d.md)";
    expect(linksOf(text)).toEqual(["docs/a.md", "../d.md"]);
  });

  it("is a code span that names a source, a document or a folder of the repository", () => {
    const text =
      "`src/a/b` `c.ts` `d/e.mjs` `test/f/` `kubectl` `*-controller.ts` `f.ts:3` `/etc/g.json` `bench/<name>.ts`";
    expect(pathsIn(text)).toEqual(["src/a/b", "c.ts", "d/e.mjs", "test/f/"]);
  });

  it("is not what stands in a block of code", () => {
    expect(pathsIn("```\n`src/gone.ts`\n```\n")).toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (ignored.has(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function textOf(document: string): string {
  return readFileSync(join(root, document), "utf8");
}

function linksOf(text: string): string[] {
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link.replace(/#.*$/, "")).filter(
    (link) => link !== "" && !/^[a-z]+:/.test(link),
  );
}

function pathsIn(text: string): string[] {
  const prose = text.replace(/^```[^]*?^```/gm, "");
  return Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, span = ""]) => span).filter(
    (span) => /^(src|test|docs|scripts|bench|bin)\/[\w./-]+$/.test(span) || /^[\w-][\w./-]*\.(ts|mjs|md)$/.test(span),
  );
}

function isThere(document: string, path: string): boolean {
  return existsSync(resolve(root, dirname(document), path));
}

/** By its path from the document or from the root, or by the end of its path: `act/act.ts`, `act.ts`. */
function isKnown(document: string, path: string): boolean {
  return isThere(document, path) || existsSync(join(root, path)) || files.some((file) => file.endsWith(`/${path}`));
}
