import type { ApplyReport, Restored, SettingReport } from "../../../node/engine/engine.ts";
import { fileText } from "../explain/setting-text.ts";
import { type Cell, reportTable } from "../terminal/text-table.ts";
import { type Colours, printable } from "../terminal/terminal.ts";

/** The result of an apply, as `-o json` prints it. */
export interface Applied extends ApplyReport {
  readonly profile: string;
  readonly engine: "native" | "tuned";
  /** Why this engine was chosen. */
  readonly reason: string;
}

/** A table of all settings, and a line that counts them. */
export function applyText(applied: Applied, colours: Colours, columns?: number): string {
  const { settings, restored } = applied;
  const headings = ["RESULT", "UNIT", "OPTION", "DEVICE", "VALUE", "BEFORE", "FROM", "NOTE"];
  const rows = [
    ...settings.map((setting) => settingRow(setting, colours, columns)),
    ...restored.map((one) => restoredRow(one, colours)),
  ];
  const table = rows.length === 0 ? "" : `${reportTable(headings, rows, columns)}\n\n`;
  return `${table}${conclusion(applied, colours)}\n`;
}

function settingRow(setting: SettingReport, colours: Colours, columns?: number): Cell[] {
  const { type, unit, option, device = "", from } = setting;
  const colour = {
    set: colours.green,
    same: colours.dim,
    overridden: colours.yellow,
    skipped: colours.yellow,
    failed: colours.red,
  }[type];
  const value = "value" in setting ? setting.value : "";
  const before = setting.type === "set" ? setting.before : "";
  return [
    { text: type, paint: colour },
    printable(unit),
    printable(option),
    printable(device),
    printable(value),
    printable(before),
    { text: fileText(from, columns), paint: colours.dim },
    { text: printable(noteOf(setting)), paint: type === "failed" ? colours.red : (text) => text },
  ];
}

function noteOf(setting: SettingReport): string {
  switch (setting.type) {
    case "failed":
    case "skipped":
      return setting.message;
    case "overridden": {
      const { unit, option, value, from, owner } = setting.by;
      if (owner !== undefined) return `held by ${owner}: ${value}`;
      return `${[unit, option].filter((name) => name !== "").join(" ")} sets it to ${value} (${from})`;
    }
    case "set":
      return [setting.drifted ? "another process had changed it" : "", setting.note ?? ""].filter(Boolean).join("; ");
    case "same":
      return setting.note ?? "";
    default:
      return setting satisfies never;
  }
}

/** A value that an earlier profile had set, and that no unit of this one sets. */
function restoredRow({ target, value, failed, note = "" }: Restored, { cyan, red }: Colours): Cell[] {
  const result: Cell = failed === undefined ? { text: "restored", paint: cyan } : { text: "failed", paint: red };
  const why: Cell =
    failed === undefined ? printable(note) : { text: printable(`cannot be restored: ${failed}`), paint: red };
  return [result, "", printable(target), "", printable(value), "", "", why];
}

function conclusion({ profile, engine, reason, settings, restored }: Applied, { bold, red }: Colours): string {
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const { type } of settings) count(type);
  for (const { failed } of restored) count(failed === undefined ? "restored" : "failed");
  const order = ["set", "same", "overridden", "skipped", "restored", "failed"];
  const parts = order.flatMap((what) => {
    const text = `${counts.get(what)} ${what}`;
    return counts.has(what) ? [what === "failed" ? red(text) : text] : [];
  });
  return `${bold(profile)}: ${parts.join(", ") || "nothing to set"} (engine ${engine}: ${printable(reason)})`;
}
