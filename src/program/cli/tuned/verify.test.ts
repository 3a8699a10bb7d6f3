import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { FakeRoot } from "./testing/fake-root.ts";
import { verify, type VerifyOptions } from "./verify.ts";

async function verified({ path: root }: { path: string }, profile: string, more: Partial<VerifyOptions> = {}) {
  const terminal = new RecordingTerminal();
  const options = { root, dir: undefined, exec: false, output: "table", ...more } as const;
  const code = await verify([profile], options, terminal);
  const { stdout, stderr } = terminal;
  return { code, lines: terminal.lines.filter((line) => line !== ""), stdout, stderr };
}

describe("attune tuned verify", () => {
  it.each([false, true])("runs what a profile names only with --exec: %s", async (exec) => {
    const root = await FakeRoot.make();
    const made = [join(root.path, "function"), join(root.path, "script")];
    const script = `#!/bin/sh\ntouch ${made[1]}\n`;
    await root.write({
      "/d/p/tuned.conf": `[sysctl]\nvm.overcommit_memory=\${f:exec:touch:${made[0]}}\n[script]\nscript=run.sh\n`,
      "/d/p/run.sh": script,
    });
    await chmod(join(root.path, "d/p/run.sh"), 0o755);
    const { lines, stderr } = await verified({ path: "/" }, "p", { dir: [join(root.path, "d")], exec });
    expect((await readdir(root.path)).filter((name) => /function|script/.test(name)).length).toBe(exec ? 2 : 0);
    if (exec) return;
    expect(lines).toEqual(["p: no differences, but 2 settings were not compared without --exec"]);
    expect(stderr.split("\n")).toHaveLength(3);
    const json = await verified({ path: "/" }, "p", { dir: [join(root.path, "d")], exec, output: "json" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      differences: [],
      notCompared: [expect.any(String), expect.any(String)],
    });
    expect(stderr).toContain("[sysctl] vm.overcommit_memory is not set: running `touch");
  });

  it("compares a root without a running kernel, such as an image, and says so", async () => {
    const root = await FakeRoot.withProfiles({ "/etc/tuned/p": "[sysctl]\nvm.swappiness=60\n" });
    await rm(join(root.path, "proc/sys/kernel/random/boot_id"));
    const { code, lines, stderr } = await verified(root, "p");
    expect([code, lines]).toEqual([0, ["p: verified, no differences"]]);
    expect(stderr).toBe(
      `warning: --root ${root.path} has no /proc/sys/kernel/random/boot_id: no kernel runs there, so what was changed since ` +
        "it was applied is not known\n",
    );
  });

  it("takes a node with an empty /etc/systemd for one that has systemd", async () => {
    const root = await FakeRoot.withProfiles({ "/etc/tuned/p": "[systemd]\ncpu_affinity=0\n" });
    await mkdir(join(root.path, "etc/systemd"));
    const { code, lines } = await verified(root, "p");
    expect([code, lines.at(-1)]).toEqual([1, "p: 1 difference"]);
    expect(await readdir(join(root.path, "etc/systemd"))).toEqual([]);
  });
});
