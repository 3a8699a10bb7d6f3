import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentDaemonSet } from "../../src/domain/node-tuning/agent-daemon-set.ts";

const root = new URL("../..", import.meta.url).pathname;
const text = readFileSync(join(root, "Containerfile"), "utf8").replaceAll("\\\n", " ");
const [, stage = ""] = text.split(/^FROM .* AS build$/m);
const final = stage.slice(stage.indexOf("\nFROM "));
const instructions = (name: string): string[] =>
  [...final.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].map(([, words = ""]) => words.trim());

/** What the image installs, by package of Debian. */
const packages = (/apt-get install((?: +--\S+)*)((?: +[a-z0-9-]+)+)/.exec(final)?.[2] ?? "").trim().split(/ +/);

/** What it copies of the project, by name. */
const copied = instructions("COPY").flatMap((words) => words.split(" ").filter((word) => word.startsWith("/attune/")));
const names = copied.map((path) => path.slice("/attune/".length));

describe("the image", () => {
  test.each([
    ["sysctl", "procps"],
    ["ethtool", "ethtool"],
  ])("has %s", (program, name) => {
    expect(packages).toContain(name);
    const { status, stdout } = spawnSync("dpkg", ["-L", name], { encoding: "utf8" });
    if (status !== 0) console.log(`not checked on this machine: it has no package ${name}`);
    else expect(stdout).toMatch(new RegExp(`^(/usr)?/s?bin/${program}$`, "m"));
  });

  test("is based on the major version of Node.js that the project needs", () => {
    const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
    const [, major] = /^>=([0-9]+)/.exec(engines.node) ?? [];
    expect([...text.matchAll(/^FROM node:([0-9]+)-/gm)].map(([, version]) => version)).toEqual([major, major]);
  });

  test("has everything that the program needs, and starts it by the name in the manifests", () => {
    for (const name of names) expect([name, existsSync(join(root, name))]).toEqual([name, true]);
    const folder = mkdtempSync(join(tmpdir(), "attune-image-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // Node.js looks for files beside the real path of a link, so the program's own files are copies.
    for (const name of names)
      if (name === "node_modules") symlinkSync(join(root, name), join(folder, name));
      else cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.endsWith(".map") });
    expect(execFileSync(join(folder, "bin/attune"), ["--version"], { encoding: "utf8" })).toMatch(/^[0-9]+\./);

    const agent = agentDaemonSet({ namespace: "x", image: "y", serviceAccount: "z", release: "" }, undefined);
    expect(JSON.stringify(agent)).toContain('"command":["attune",');
    expect(instructions("RUN")).toContain("ln -s /attune/bin/attune /usr/local/bin/attune");
  });

  test("leaves nothing out of its build that the build needs", () => {
    const ignored = new Set(readFileSync(join(root, ".containerignore"), "utf8").trim().split("\n"));
    for (const name of ["package.json", "package-lock.json", ".npmrc", "scripts", "src", "bin", "LICENSE"])
      expect([name, ignored.has(name), existsSync(join(root, name))]).toEqual([name, false, true]);
  });
});
