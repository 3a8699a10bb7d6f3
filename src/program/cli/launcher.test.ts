import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { node } from "./testing/program.ts";

const bin = join(dirname(fileURLToPath(import.meta.url)), "../../../bin");
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "attune-launcher-"));
  for (const folder of ["bin", "dist", "elsewhere"]) mkdirSync(join(dir, folder));
  for (const file of ["attune", "package.json"]) copyFileSync(join(bin, file), join(dir, "bin", file));
  writeFileSync(join(dir, "dist/attune.cjs"), "console.log(JSON.stringify(process.argv.slice(2)))");
  symlinkSync(node, join(dir, "dist/node"));
  symlinkSync("../bin/attune", join(dir, "elsewhere/attune"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const words = ["render", "--asset-input-dir", "with a blank", "it's", ""];

it.each([
  ["an empty environment", {}],
  ["a PATH without node", { PATH: "/nonexistent" }],
  ["an empty PATH", { PATH: "" }],
])("bin/attune finds node with %s", (_, env) => {
  for (const path of ["bin/attune", "elsewhere/attune"])
    expect(JSON.parse(execFileSync(join(dir, path), words, { env, encoding: "utf8" }))).toEqual(words);
});

it("bin/attune can be run by node itself", () => {
  const output = execFileSync(node, [join(dir, "bin/attune"), ...words], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual(words);
});

it("bin/attune takes the node of PATH first", () => {
  const first = join(dir, "elsewhere/node");
  writeFileSync(first, '#!/bin/sh\necho "[\\"first\\"]"\n', { mode: 0o755 });
  const output = execFileSync(join(dir, "bin/attune"), { env: { PATH: dirname(first) }, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual(["first"]);
});
