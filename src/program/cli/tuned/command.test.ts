import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Program } from "../testing/program.ts";
import { FakeRoot } from "./testing/fake-root.ts";

let attune: Program;

beforeAll(async () => {
  attune = await Program.build();
});
afterAll(() => attune.remove());

const node = (): Promise<FakeRoot> =>
  FakeRoot.withProfiles({
    "/etc/tuned/p": "[sysctl]\nvm.swappiness=11\n",
    "/etc/tuned/matches": "[sysctl]\nvm.swappiness=${f:regex_search_ternary:abc:b+:12:13}\n",
    "/etc/tuned/asks": "[sysctl]\nvm.swappiness=${f:exec:echo:7}\n",
    "/etc/tuned/wrong": "[main]\ninclude=gone\n",
    "/etc/tuned/fails": "[sysctl]\nno.such=1\n",
  });

describe("attune tuned", () => {
  it("lists its commands", async () => {
    const { code, stdout } = await attune.run(["tuned", "--help"]);
    expect(code).toBe(0);
    for (const command of ["list", "recommend", "active", "show", "resolve", "apply", "verify", "rollback"])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });

  it("applies, verifies and rolls back, each in its own process", async () => {
    const root = await node();
    const run = async (...args: string[]): Promise<number | null> => {
      const { code, stderr } = await attune.run(["tuned", ...args, "--root", root.path]);
      expect(stderr).toBe("");
      return code;
    };
    expect(await run("verify", "p")).toBe(1);
    expect(await run("apply", "p")).toBe(0);
    expect(await run("verify", "p")).toBe(0);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("11");
    expect(await run("rollback")).toBe(0);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("60");
  });

  it("loads on demand what it needs late: patterns and programs", async () => {
    const root = await node();
    const valueOf = async (profile: string, ...more: string[]): Promise<unknown> => {
      const args = ["tuned", "resolve", profile, "-o", "json", ...more];
      return JSON.parse((await attune.run(args)).stdout).units[0].options["vm.swappiness"].value;
    };
    expect(await valueOf("matches", "--root", root.path)).toBe("12");
    expect(await valueOf("asks", "--dir", join(root.path, "etc/tuned"), "--exec")).toBe("7\n");
    expect(await valueOf("asks", "--dir", join(root.path, "etc/tuned"))).toBe("${f:exec:echo:7}");
  });

  it("uses no colours without a terminal", async () => {
    const { path } = await node();
    const { stdout } = await attune.run(["tuned", "resolve", "p", "--root", path], { CI: "1", FORCE_COLOR: "" });
    expect(stdout).not.toContain("\u001B");
  });

  it("exits with 0 if the reader closes the pipe early", async () => {
    const run = attune.start(["tuned", "list"]);
    run.close();
    expect(await run.ended).toMatchObject({ code: 0, stderr: "" });
  });

  const mistakes: [string[], RegExp][] = [
    [["list", "-o", "xml"], /^error: --output xml: not one of table, wide, json, yaml, name\n$/],
    [["list", "--dir", "/nosuch"], /^error: --dir \/nosuch: no such directory\n$/],
    [["show"], /^error: missing required argument 'profile'/],
    [["show", "nosuch"], /^error: profile "nosuch" does not exist; attune tuned list names all\n$/],
    [["resolve", "../p"], /^error: "\.\.\/p" is not a profile name/],
    [["resolve", ".."], /^error: "\.\." is not a profile name/],
    [["resolve", "wrong"], /^error: \/etc\/tuned\/wrong\/tuned\.conf:2: profile "gone" does not exist\n$/],
    [["apply", "p", "--engine", "x"], /^error: --engine x: not one of auto, native, tuned\n$/],
    [["apply", "p", "--output", "xml"], /^error: --output xml: not one of table, json, yaml\n$/],
    [["apply", "p", "--exec"], /^error: unknown option '--exec'/],
    [["verify", "nosuch"], /^error: profile "nosuch" does not exist; attune tuned list names all\n$/],
    [["nothing"], /^error: unknown command 'nothing'/],
  ];
  it.each(mistakes)("answers %j with an error and exit code 1, and leaves the node unchanged", async (args, error) => {
    const root = await node();
    const before = await readdir(root.path, { recursive: true });
    const rooted = args[0] === "nothing" ? args : [...args, "--root", root.path];
    const { code, stdout, stderr } = await attune.run(["tuned", ...rooted]);
    expect(stderr).toMatch(error);
    expect([code, stdout]).toEqual([1, ""]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("60");
    expect(await readdir(root.path, { recursive: true })).toEqual(before);
  });

  it("exits with 1 if a setting failed", async () => {
    const { path } = await node();
    const { code, stdout, stderr } = await attune.run(["tuned", "apply", "fails", "--root", path]);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain("1 failed");
  });

  it.each([["list"], ["verify", "balanced"], ["apply", "balanced"], ["rollback"]])(
    "%s makes no root where there is none",
    async (...args) => {
      const { path } = await node();
      await rm(path, { recursive: true });
      const { code, stderr } = await attune.run(["tuned", ...args, "--root", path]);
      expect([code, stderr]).toEqual([1, `error: --root ${path}: no such directory\n`]);
      await expect(readdir(path)).rejects.toThrow("ENOENT");
    },
  );
});
