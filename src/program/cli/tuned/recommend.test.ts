import { describe, expect, it } from "vitest";
import { RecordingTerminal } from "../terminal/testing/recording-terminal.ts";
import { recommend, type RecommendOptions } from "./recommend.ts";
import { FakeRoot } from "./testing/fake-root.ts";

async function recommended(
  files: Record<string, string>,
  output: RecommendOptions["output"] = "name",
): Promise<{ code: number; printed: RecordingTerminal }> {
  const { path } = await FakeRoot.make(files);
  const printed = new RecordingTerminal();
  return { code: await recommend({ root: path, output }, printed), printed };
}

const release = { "/etc/system-release-cpe": "cpe:/o:redhat:enterprise_linux:9::server\n" };
const stock = "[a-server]\nsystem=.*server.*\n\n[virtual-guest]\nvirt=.+\n\n[balanced]\n";

describe("attune tuned recommend", () => {
  it.each<[string, Record<string, string>, string]>([
    ["balanced, where no file says otherwise", {}, "balanced"],
    ["by the file of the distribution", { ...release, "/usr/lib/tuned/recommend.d/50-tuned.conf": stock }, "a-server"],
    [
      "by the folder of the older layout, in the order of names",
      { "/usr/lib/tuned/recommend.d/50-tuned.conf": stock, "/etc/tuned/recommend.d/10-mine.conf": "[mine,2]\n" },
      "mine",
    ],
    [
      "by the file in /etc instead of that of the same name",
      {
        ...release,
        "/usr/lib/tuned/recommend.d/50-tuned.conf": stock,
        "/etc/tuned/recommend.d/50-tuned.conf": "[b]\n",
      },
      "b",
    ],
    [
      "by recommend.conf before all others",
      { "/etc/tuned/recommend.conf": "[first]\n", "/etc/tuned/recommend.d/10-mine.conf": "[mine]\n" },
      "first",
    ],
    [
      "by the folders where no rule of recommend.conf holds",
      { "/etc/tuned/recommend.conf": "[first]\n/no/such=x\n", "/etc/tuned/recommend.d/10-mine.conf": "[mine]\n" },
      "mine",
    ],
    [
      "balanced where the command is turned off",
      { "/etc/tuned/recommend.conf": "[first]\n", "/etc/tuned/tuned-main.conf": "recommend_command = 0\n" },
      "balanced",
    ],
    [
      "not by the file that the TuneD engine writes for its daemon",
      { "/etc/tuned/recommend.d/00-attune.conf": "[attune-p]\n", "/etc/tuned/recommend.d/10-mine.conf": "[mine]\n" },
      "mine",
    ],
  ])("%s", async (_, files, expected) => {
    const { code, printed } = await recommended(files);
    expect([code, printed.stdout, printed.stderr]).toEqual([0, `${expected}\n`, ""]);
  });

  it("names the file and line that decided", async () => {
    const { printed } = await recommended({ "/etc/tuned/recommend.d/10-mine.conf": "# x\n[mine]\n" }, "json");
    expect(JSON.parse(printed.stdout)).toEqual({ profile: "mine", from: "/etc/tuned/recommend.d/10-mine.conf:2" });
  });

  it("warns of a file that cannot be parsed, and goes on", async () => {
    const { code, printed } = await recommended({ "/etc/tuned/recommend.conf": "nonsense\n" });
    expect([code, printed.stdout]).toEqual([0, "balanced\n"]);
    expect(printed.stderr).toMatch(/^warning: \/etc\/tuned\/recommend\.conf:1: /);
  });

  it("exits with 1 where a rule is no pattern", async () => {
    const { code, printed } = await recommended({ "/etc/tuned/recommend.conf": "[a]\nsystem=[\n" });
    expect([code, printed.stdout]).toEqual([1, ""]);
    expect(printed.stderr).toMatch(/^error: \/etc\/tuned\/recommend\.conf:2: /);
  });
});
