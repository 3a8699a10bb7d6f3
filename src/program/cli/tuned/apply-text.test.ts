import { coloursOf } from "../terminal/terminal.ts";
import { describe, expect, it } from "vitest";
import type { SettingReport } from "../../../node/engine/engine.ts";
import { applyText } from "./apply-text.ts";

const about = { unit: "disk", option: "readahead", from: "f:1", device: "sda" };

function rows(settings: SettingReport[], colours = coloursOf(false)): string[] {
  const applied = { profile: "p", engine: "tuned", reason: "why\u0007", settings, restored: [] } as const;
  return applyText(applied, colours)
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll(/ {2,}/g, " | "));
}

describe("the text of an apply", () => {
  const cases: [string, SettingReport, string][] = [
    [
      "a setting that was set again",
      { ...about, type: "set", target: "t", value: "2", before: "1", drifted: true, note: "slowly" },
      "set | disk | readahead | sda | 2 | 1 | f:1 | another process had changed it; slowly",
    ],
    [
      "a setting that another unit overrides",
      {
        ...about,
        type: "overridden",
        target: "t",
        value: "2",
        by: { unit: "later", option: "x", from: "f:9", value: "3" },
      },
      "overridden | disk | readahead | sda | 2 | f:1 | later x sets it to 3 (f:9)",
    ],
    [
      "a setting that does not apply to this node",
      { ...about, type: "skipped", level: "info", message: "no such\ndevice" },
      "skipped | disk | readahead | sda | f:1 | no such\\ndevice",
    ],
  ];
  it.each(cases)("shows %s", (_, setting, row) => {
    expect(rows([setting])[1]).toBe(row);
  });

  it("has no table if there was nothing to set", () => {
    expect(rows([])).toEqual(["p: nothing to set (engine tuned: why\\u{7})"]);
  });

  it("shows failures in red on a terminal", () => {
    const [, row = ""] = rows([{ ...about, type: "failed", message: "no" }], coloursOf(true));
    expect(row.startsWith("\u001B[31mfailed\u001B[39m")).toBe(true);
  });
});
