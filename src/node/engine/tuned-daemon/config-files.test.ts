import { describe, expect, test } from "vitest";
import { configFiles, mainConfig } from "./config-files.ts";

const rendered = { name: "attune-p", text: "[sysctl]\n", left: [] };

function mainAfter(main: string | undefined, enabled?: boolean): string | undefined {
  const options = enabled === undefined ? {} : { reapplySysctl: { enabled, exclude: [] } };
  return configFiles(rendered, main, options).get(mainConfig);
}

describe("TuneD's main configuration", () => {
  test.each<[string | undefined, boolean | undefined, string | undefined]>([
    [undefined, undefined, "daemon = 1\n"],
    [undefined, true, "daemon = 1\n"],
    [undefined, false, "daemon = 1\nreapply_sysctl = 0\n"],
    ["daemon = 0\n", undefined, "daemon = 1\n"],
    ["daemon = 1\n", true, undefined],
    [
      "daemon = 1\nreapply_sysctl = 1\nsleep_interval = 2\n",
      false,
      "daemon = 1\nsleep_interval = 2\nreapply_sysctl = 0\n",
    ],
    ["reapply_sysctl = 0", true, "reapply_sysctl = 1\n"],
    ["reapply_sysctl = 0\n", false, undefined],
    ["reapply_sysctl = 0\n", undefined, undefined],
    ["# reapply_sysctl = 0\nx = 1", false, "# reapply_sysctl = 0\nx = 1\nreapply_sysctl = 0\n"],
  ])("%j with sysctl files reapplied %s becomes %j", (main, enabled, expected) => {
    expect(mainAfter(main, enabled)).toBe(expected);
  });
});
