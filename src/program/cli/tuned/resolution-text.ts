import type { OptionDocument, ProfileDocument, UnitDocument } from "../../../language/tuned/text/document.ts";
import { describeProbe } from "../../../language/tuned/probe.ts";
import { fileText } from "../explain/setting-text.ts";
import { type Cell, tableOrLines, textOf, textTable, widestCell } from "../terminal/text-table.ts";
import { type Colours, printable } from "../terminal/terminal.ts";

/** A resolved profile as text: a head, then every option of every unit with the file and line that set it. */
export function resolutionText(document: ProfileDocument, colours: Colours, columns?: number): string {
  const parts = [head(document, colours, columns), units(document, colours, columns)];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function head(
  { profile, chain, bootArguments, unresolved, variables }: ProfileDocument,
  colours: Colours,
  columns?: number,
): string {
  const { bold, cyan, yellow } = colours;
  const rows: Cell[][] = [
    ["Profile:", { text: printable(profile), paint: bold }],
    ["Merged from:", chain.map(printable).join(" → ")],
  ];
  if (bootArguments.length > 0) rows.push(["Boot arguments:", printable(bootArguments.join(" "))]);
  unresolved.forEach((probe, index) =>
    rows.push([index === 0 ? "Unresolved:" : "", { text: printable(describeProbe(probe)), paint: yellow }]),
  );
  Object.entries(variables).forEach(([name, value], index) =>
    rows.push([
      index === 0 ? "Variables:" : "",
      { text: printable(`${name}=${value}`), paint: (text) => painted(text, cyan) },
    ]),
  );
  const [first = [], ...others] = rows;
  return textTable(first, others, { columns });
}

/** Colours only the name: `isolated_cores` of `isolated_cores=2-3`. */
function painted(text: string, colour: (text: string) => string): string {
  const equals = text.indexOf("=");
  return colour(text.slice(0, equals)) + text.slice(equals);
}

function units(document: ProfileDocument, colours: Colours, columns?: number): string {
  if (document.units.length === 0) return "";
  const rows = document.units.flatMap((unit) => unitRows(unit, colours));
  const lines = document.units.flatMap((unit) => unitLines(unit, colours, columns));
  return tableOrLines(textTable(["OPTION", "VALUE", "FROM"], rows, { widest: widestCell }), lines, columns);
}

/** A title, and what is to be said of the unit. */
function unitTitle(unit: UnitDocument, { bold, yellow }: Colours): Cell[] {
  const idle = !unit.enabled || unit.unmet !== undefined;
  const title: Cell = { text: printable(`[${unit.name}]`), paint: idle ? yellow : bold };
  const about = aboutUnit(unit);
  return about === "" ? [title] : [title, { text: about, paint: idle ? yellow : (text) => text }];
}

/** Where the table is wider than the terminal. */
function unitLines(unit: UnitDocument, colours: Colours, columns: number | undefined): Cell[][] {
  const { dim, cyan } = colours;
  const [title = "", about] = unitTitle(unit, colours);
  const old = (text: string): Cell[] => [{ text, paint: dim }];
  return [
    [title],
    ...(about === undefined ? [] : [[{ text: `  ${textOf(about)}`, paint: dim }]]),
    ...Object.entries(unit.options).flatMap(([key, { value, from, overrides }]): Cell[][] => [
      ...(typeof value === "string" ? [value] : value).map((one): Cell[] => [
        { text: `  ${printable(`${key} = ${one}`)}`, paint: cyan },
      ]),
      old(`      ${fileText(from, columns)}`),
      ...overrides
        .toReversed()
        .map((before) => old(`      instead of ${printable(before.value)}, ${fileText(before.from, columns)}`)),
    ]),
  ];
}

function unitRows(unit: UnitDocument, colours: Colours): Cell[][] {
  return [
    unitTitle(unit, colours),
    ...Object.entries(unit.options).flatMap(([key, option]) => optionRows(key, option, colours)),
  ];
}

/** The attributes of a unit that differ from their defaults. */
function aboutUnit(unit: UnitDocument): string {
  const printed: string[] = [];
  if (!unit.enabled) printed.push("disabled");
  if (unit.unmet !== undefined) printed.push(`does not apply to this node: ${unit.unmet}`);
  if (unit.type !== unit.name) printed.push(`type=${unit.type}`);
  if (unit.devices !== "*") printed.push(`devices=${unit.devices}`);
  for (const key of [
    "priority",
    "devices_udev_regex",
    "cpuinfo_regex",
    "uname_regex",
    "script_pre",
    "script_post",
  ] as const)
    if (unit[key] !== undefined && !unit.unmet?.startsWith(`${key}=`)) printed.push(`${key}=${unit[key]}`);
  return printable(printed.join(", "));
}

function optionRows(key: string, { value, from, overrides }: OptionDocument, { dim, cyan }: Colours): Cell[][] {
  const values = typeof value === "string" ? [value] : value;
  const old = (text: string): Cell => ({ text: printable(text), paint: dim });
  return [
    ...values.map((one, index): Cell[] => [
      index === 0 ? { text: `  ${printable(key)}`, paint: cyan } : "",
      printable(one),
      index === 0 ? { text: printable(from), paint: dim } : "",
    ]),
    // The newest first: each line is the value that the line above replaced.
    ...overrides.toReversed().map((before) => [old("    instead of"), old(before.value), old(before.from)]),
  ];
}
