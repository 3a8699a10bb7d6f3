import { describe, expect, it } from "vitest";
import { apply, type ApplyOptions } from "./apply.ts";
import { rollback } from "./rollback.ts";
import { FakeRoot } from "./testing/fake-root.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { parseArguments } from "../option/flag.ts";
import { applyFlags } from "./flags.ts";
import { verify } from "./verify.ts";

const profiles = {
  "/etc/tuned/quiet": "[sysctl]\nvm.swappiness=11\nvm.dirty_ratio=20\n",
  "/etc/tuned/busy": "[sysctl]\nnet.core.somaxconn=>1024\n",
  "/etc/tuned/wrong": "[sysctl]\nvm.swappiness=11\nno.such=1\n",
  "/etc/tuned/broken": "nonsense\n",
};

interface Result {
  readonly code: number;
  readonly printed: RecordingTerminal;
}

const node = (): Promise<FakeRoot> => FakeRoot.withProfiles(profiles);

async function applied(root: FakeRoot, name: string, options: Partial<ApplyOptions> = {}): Promise<Result> {
  const printed = new RecordingTerminal();
  const given: ApplyOptions = { root: root.path, dir: [], engine: "native", output: "table", ...options };
  return { code: await apply([name], given, printed), printed };
}

async function verified(root: FakeRoot, name: string, output: ApplyOptions["output"] = "table"): Promise<Result> {
  const printed = new RecordingTerminal();
  return { code: await verify([name], { root: root.path, dir: [], exec: false, output }, printed), printed };
}

async function rolledBack(root: FakeRoot, output: ApplyOptions["output"] = "table"): Promise<Result> {
  const printed = new RecordingTerminal();
  return { code: await rollback({ root: root.path, output }, printed), printed };
}

describe("attune tuned apply", () => {
  it("sets what differs, and reports every setting", async () => {
    const root = await node();
    const { code, printed } = await applied(root, "quiet");
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(printed.lines).toEqual([
      "RESULT | UNIT | OPTION | VALUE | BEFORE | FROM",
      "set | sysctl | vm.swappiness | 11 | 60 | /etc/tuned/quiet/tuned.conf:2",
      "same | sysctl | vm.dirty_ratio | 20 | /etc/tuned/quiet/tuned.conf:3",
      "",
      "quiet: 1 set, 1 same (engine native: asked for)",
      "",
    ]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("11");
  });

  it("exits with 1 if a setting failed, and still sets the others", async () => {
    const root = await node();
    const { code, printed } = await applied(root, "wrong");
    expect(code).toBe(1);
    expect(printed.lines).toContainEqual(expect.stringMatching(/^failed \| sysctl \| no\.such \| .*no\/such/));
    expect(printed.lines).toContain("wrong: 1 set, 1 failed (engine native: asked for)");
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("11");
  });

  it("restores what an earlier profile changed", async () => {
    const root = await node();
    await applied(root, "quiet");
    const { printed } = await applied(root, "busy");
    expect(printed.lines).toContain("restored | /proc/sys/vm/swappiness | 60");
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("60");
    expect(await root.read("/proc/sys/net/core/somaxconn")).toBe("1024");
  });

  it("changes nothing for an invalid profile", async () => {
    const root = await node();
    const { code, printed } = await applied(root, "broken");
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toMatch(/^error: \/etc\/tuned\/broken\/tuned\.conf:1: /);
    await expect(root.read("/var/lib/attune/journal.json")).rejects.toThrow("ENOENT");
  });

  it("reports which engine it chose, and why", async () => {
    const { printed } = await applied(await node(), "quiet", { engine: "auto", output: "json" });
    expect(JSON.parse(printed.stdout)).toMatchObject({
      profile: "quiet",
      engine: "native",
      reason: "TuneD is not installed",
      settings: [{ type: "set", option: "vm.swappiness", before: "60" }, { type: "same" }],
      restored: [],
    });
  });

  it("writes scripts of built-in profiles to the node before they run", async () => {
    const root = await node();
    await applied(root, "powersave");
    expect(await root.read("/var/lib/attune/profiles/powersave/script.sh")).toMatch(/^#!\/bin\/sh/);
  });

  it("fails at once on a node that another process is tuning", async () => {
    const root = await node();
    const unlock = await lockEngine(root.path);
    await expect(applied(root, "quiet")).rejects.toThrow(/run\/attune: process [0-9]+ is using it/);
    await unlock();
    expect((await applied(root, "quiet")).code).toBe(0);
  });

  it.each([
    [["--engine", "fast"], "--engine fast: not one of auto, native, tuned"],
    [["--output", "xml"], "--output xml: not one of table, json, yaml"],
  ])("refuses %j", (args, message) => {
    expect(() => parseArguments(applyFlags, args, {})).toThrow(message);
  });
});

describe("attune tuned verify", () => {
  it("finds no differences after an apply", async () => {
    const root = await node();
    await applied(root, "quiet");
    const { code, printed } = await verified(root, "quiet");
    expect([code, printed.stdout]).toEqual([0, "quiet: verified, no differences\n"]);
  });

  it("reports differences and changes nothing", async () => {
    const root = await node();
    const { code, printed } = await verified(root, "quiet");
    expect(code).toBe(1);
    expect(printed.lines.slice(0, 4)).toEqual([
      "UNIT | OPTION | EXPECTED | FOUND | FROM",
      "sysctl | vm.swappiness | 11 | 60 | /etc/tuned/quiet/tuned.conf:2",
      "",
      "quiet: 1 difference",
    ]);
    expect(await root.read("/proc/sys/vm/swappiness")).toBe("60");
  });

  it("distinguishes a change by another process from a setting that was never applied", async () => {
    const root = await node();
    await applied(root, "quiet");
    await root.write({ "/proc/sys/vm/swappiness": "99\n" });
    expect((await verified(root, "quiet")).printed.lines[1]).toMatch(/\| 11 \| 99 \| .* \| changed by another process/);
    const { code, printed } = await verified(root, "quiet", "json");
    expect(code).toBe(1);
    expect(JSON.parse(printed.stdout)).toMatchObject({
      profile: "quiet",
      differences: [{ option: "vm.swappiness", expected: "11", found: "99", drifted: true }],
    });
  });
});

describe("attune tuned rollback", () => {
  it("restores everything, once", async () => {
    const root = await node();
    await applied(root, "quiet");
    await applied(root, "busy");
    const { code, printed } = await rolledBack(root);
    expect(code).toBe(0);
    expect(printed.lines).toEqual(["RESULT | WHAT | VALUE", "restored | /proc/sys/net/core/somaxconn | 128", ""]);
    expect((await rolledBack(root)).printed.stdout).toBe("nothing to roll back\n");
    expect(JSON.parse((await rolledBack(root, "json")).printed.stdout)).toEqual({ restored: [] });
  });
});
