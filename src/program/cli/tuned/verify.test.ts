import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { FakeRoot } from "./testing/fake-root.ts";
import { verify } from "./verify.ts";

async function verified(root: FakeRoot, profile: string) {
  const terminal = new RecordingTerminal();
  const code = await verify([profile], { root: root.path, output: "table" } as never, terminal);
  return { code, lines: terminal.lines.filter((line) => line !== ""), stderr: terminal.stderr };
}

describe("attune tuned verify", () => {
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
