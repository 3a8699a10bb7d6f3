import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { node, Program } from "./testing/program.ts";

let program: Program;
beforeAll(async () => {
  program = await Program.buildOwn();
});
afterAll(() => program.remove());

const code = (): string[] => readdirSync(program.path).filter((name) => name.endsWith(".code"));

test("the bundle holds compiled code of every short command, and this Node.js accepts it", () => {
  expect(code()).toEqual(
    ["profile", "render", "tuned", "yaml"].map((name) => expect.stringMatching(`^${name}.cjs.code$`)),
  );
  const preload = join(program.path, "print-rejected.cjs");
  writeFileSync(
    preload,
    `const vm = require("node:vm");
     vm.Script = class extends vm.Script {
       constructor(source, options) {
         super(source, options);
         console.log(options.filename.split("/").at(-1), this.cachedDataRejected);
       }
     };`,
  );
  const args = ["--require", preload, join(program.path, "attune.cjs"), "tuned", "list", "--root", tmpdir()];
  const lines = execFileSync(node, args, { encoding: "utf8" }).split("\n");
  expect(lines).toEqual(expect.arrayContaining(["tuned.cjs false"]));
});

test("code that V8 refuses, or that is cut short, is compiled anew", async () => {
  const expected = await program.run(["tuned", "list"]);
  expect(expected.code).toBe(0);
  const file = join(program.path, "tuned.cjs.code");
  const whole = readFileSync(file);
  for (const text of [whole.subarray(0, whole.length / 2), Buffer.alloc(0), Buffer.from("no code")]) {
    writeFileSync(file, text);
    expect(await program.run(["tuned", "list"])).toEqual(expected);
  }
});
