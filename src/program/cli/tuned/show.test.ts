import { describe, expect, it } from "vitest";
import { show } from "./show.ts";
import { FakeRoot } from "./testing/fake-root.ts";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";

async function shown(profiles: Record<string, string>): Promise<{ code: number; printed: RecordingTerminal }> {
  const { path: root } = await FakeRoot.withProfiles(profiles);
  const printed = new RecordingTerminal();
  return { code: await show(["p"], { root, dir: [], exec: false }, printed), printed };
}

describe("attune tuned show", () => {
  it("prints every text of the chain under the name of its file, with comments", async () => {
    const { code, printed } = await shown({
      "/usr/lib/tuned/q": "# Why\n[sysctl]\na=1\n\n\n",
      "/etc/tuned/p": "[main]\ninclude=q",
    });
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(printed.stdout).toBe(
      "# /usr/lib/tuned/q/tuned.conf\n# Why\n[sysctl]\na=1\n\n# /etc/tuned/p/tuned.conf\n[main]\ninclude=q\n",
    );
  });

  it("prints the text of an invalid profile, and its problems", async () => {
    const { code, printed } = await shown({ "/etc/tuned/p": "[main]\ninclude=nosuch\nnonsense\n" });
    expect(code).toBe(1);
    expect(printed.stdout).toContain("nonsense");
    expect(printed.stderr.split("\n").toSorted()).toEqual([
      "",
      expect.stringMatching(/^error: \/etc\/tuned\/p\/tuned\.conf:2: .*nosuch/),
      expect.stringMatching(/^error: \/etc\/tuned\/p\/tuned\.conf:3: .*nonsense/),
    ]);
  });

  it("without --exec does not follow an include that depends on a program", async () => {
    const { code, printed } = await shown({ "/etc/tuned/p": "[main]\ninclude=${f:exec:touch:/tmp/attune-was-here}\n" });
    expect([code, printed.stderr]).toEqual([0, ""]);
    expect(printed.stdout).toMatch(/^# \/etc\/tuned\/p/);
  });
});
