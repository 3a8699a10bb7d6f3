import type { SettingExplanation } from "../../../domain/node-tuning/explain/settings.ts";
import { baseDirectory } from "../../../language/tuned/profiles/base-profiles.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { type Cell, reportTable, tableOrLines } from "../terminal/text-table.ts";

type Paint = (text: string) => string;
/** Of the terminal. */
type Columns = number | undefined;

/** On a terminal, the directory of built-in profiles takes more room than it is worth. */
export function fileText(file: string, columns: Columns): string {
  return printable(columns === undefined ? file : file.replace(baseDirectory, "…"));
}

const stateText = {
  "as wanted": "✓",
  different: "differs",
  failed: "failed",
  skipped: "–",
  idle: "idle",
  boot: "at boot",
  unresolved: "unresolved",
  unknown: "?",
} satisfies Record<SettingExplanation["state"], string>;

/** A table, or where it is wider than the terminal, a few lines for each setting. */
export function settingText(settings: readonly SettingExplanation[], colours: Colours, columns: Columns): string {
  if (settings.length === 0) return "";
  const text = tableOrLines(
    settingTable(settings, colours, columns),
    settingLines(settings, colours, columns),
    columns,
  );
  const legend = Object.entries(signs).filter(([state]) => settings.some((one) => one.state === state));
  return [text, ...(legend.length > 0 ? ["", colours.dim(legend.map(([, about]) => about).join("   "))] : [])].join(
    "\n",
  );
}

/** What the signs mean that are no words. */
const signs: Partial<Record<SettingExplanation["state"], string>> = {
  "as wanted": "✓ the node has it",
  skipped: "– not on this node",
  unknown: "? not reported yet",
};

function paintsOf({ dim, green, red, yellow }: Colours): Record<SettingExplanation["state"], Paint> {
  return {
    "as wanted": green,
    different: red,
    failed: red,
    skipped: dim,
    idle: dim,
    boot: dim,
    unresolved: yellow,
    unknown: yellow,
  };
}

function settingLines(settings: readonly SettingExplanation[], colours: Colours, columns: Columns): Cell[][] {
  const { dim, bold } = colours;
  const paints = paintsOf(colours);
  return settings.flatMap((one, at): Cell[][] => {
    const { unit, option, wanted, actual = wanted, state, from, note = "", overrides } = one;
    const found = actual === wanted ? stateText[state] : `${stateText[state]}: ${actual}`;
    const why = note === "" ? "" : `: ${note}`;
    return [
      ...(unit === settings[at - 1]?.unit ? [] : [[{ text: printable(`[${unit}]`), paint: bold }]]),
      [{ text: `  ${printable(`${option} = ${wanted}`)}   ${printable(found)}`, paint: paints[state] }],
      [{ text: `      ${fileText(from, columns)}${printable(why)}`, paint: dim }],
      // A value that is overridden by itself says nothing.
      ...overrides
        .filter(({ value }) => value !== wanted)
        .toReversed()
        .map(({ value, from: file }): Cell[] => [
          { text: `      instead of ${overridden(value)}, ${fileText(file, columns)}`, paint: dim },
        ]),
    ];
  });
}

function overridden(value: string): string {
  return value.includes("${") ? "a value that depends on the node" : printable(value);
}

function settingTable(settings: readonly SettingExplanation[], colours: Colours, columns: Columns): string {
  const { dim, cyan } = colours;
  const paints = paintsOf(colours);
  let unit = "";
  const rows = settings.flatMap((one): Cell[][] => {
    const title: Cell[][] = one.unit === unit ? [] : [[{ text: printable(`[${one.unit}]`), paint: colours.bold }]];
    unit = one.unit;
    const paint = paints[one.state];
    return [
      ...title,
      [
        { text: `  ${printable(one.option)}`, paint: cyan },
        printable(one.wanted),
        { text: printable(one.actual ?? ""), paint },
        { text: stateText[one.state], paint },
        { text: fileText(one.from, columns), paint: dim },
        { text: printable(one.note ?? ""), paint },
      ],
      ...one.overrides
        .toReversed()
        .map(({ value, from }): Cell[] => [
          { text: "    instead of", paint: dim },
          { text: overridden(value), paint: dim },
          "",
          "",
          { text: fileText(from, columns), paint: dim },
        ]),
    ];
  });
  return reportTable(["OPTION", "WANTED", "ACTUAL", "STATE", "FROM", "NOTE"], rows);
}
