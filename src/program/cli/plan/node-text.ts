import type { NodeChange } from "../../../domain/plan/node-changes.ts";
import type { SettingChange } from "../../../domain/plan/setting-changes.ts";
import { describeProbe } from "../../../language/tuned/probe.ts";
import { fileText } from "../explain/setting-text.ts";
import { type Cell, reportTable, tableOrLines, textOf } from "../terminal/text-table.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { paragraph } from "../terminal/wrap.ts";
import { type Limits, nodeNames } from "./node-names.ts";

export function nodesText(change: NodeChange, limits: Limits, colours: Colours): string {
  return tuningText(`${nodeNames(change.nodes, limits.most)}:`, change, limits, colours);
}

/** Which profile and which settings change. */
export function tuningText(
  whose: string,
  change: Omit<NodeChange, "nodes">,
  { columns, restarts = false }: Pick<Limits, "columns"> & { readonly restarts?: boolean },
  colours: Colours,
): string {
  const { bold, yellow, red, dim } = colours;
  const { before, after, settings, options, deferred, unresolved, problems } = change;
  const profiles = before === after ? `profile ${after} changes` : `profile ${before ?? "none"} → ${after ?? "none"}`;
  const note = (text: string, paint: (text: string) => string): string[] => paragraph([{ text, paint }], columns, 2);
  const notes = [
    ...(deferred ? note(`deferred (${deferred}): waits for the next restart of the node`, yellow) : []),
    ...unresolved.flatMap((probe) =>
      note(`not evaluated: depends on ${printable(describeProbe(probe))} on the node`, yellow),
    ),
    ...(problems.length > 0 ? note("cannot be applied, and nothing changes: see below", red) : []),
    ...(problems.length === 0 && settings.length + options.length === 0 && !restarts
      ? note("no setting changes", dim)
      : []),
  ];
  const title = paragraph(
    [
      { text: whose, paint: bold },
      { text: printable(profiles), paint: String },
    ],
    columns,
  );
  const table = settingTable(change, colours, columns);
  return [...title, ...notes, ...(table === "" ? [] : [table])].join("\n");
}

function settingTable(
  { settings, options }: Omit<NodeChange, "nodes">,
  colours: Colours,
  columns: number | undefined,
): string {
  const { bold, cyan, dim, green, red, yellow } = colours;
  if (settings.length + options.length === 0) return "";
  const units = [...new Set(settings.map(({ unit }) => unit))];
  const row = ({ option, before, after }: Omit<SettingChange, "unit">): Cell[] => {
    const [sign, paint] = before ? (after ? (["~", yellow] as const) : (["-", red] as const)) : (["+", green] as const);
    return [
      { text: `  ${sign} ${printable(option)}`, paint: (text) => paint(text.slice(0, 3)) + cyan(text.slice(3)) },
      { text: printable(before?.value ?? ""), paint: red },
      after ? { text: printable(after.value), paint: green } : { text: "as it was before tuning", paint: dim },
      { text: fileText((after ?? before)?.from ?? "", columns), paint: dim },
    ];
  };
  const groups = units.map((unit) => ({
    title: { text: printable(`  [${unit}]`), paint: bold },
    rows: settings.filter((one) => one.unit === unit).map(row),
  }));
  const agent = options.map(({ option, before, after }) =>
    row({ option, before: { value: before, from: "" }, after: { value: after, from: "" } }),
  );
  if (agent.length > 0) groups.push({ title: { text: "  agent", paint: bold }, rows: agent });
  const table = groups.flatMap(({ title, rows }) => [[title], ...rows]);
  const names = ["before", "after", "from"];
  const lines = groups.flatMap(({ title, rows }) => [
    [title],
    ...rows.flatMap(([option = "", ...cells]) => [
      [option],
      ...cells.flatMap((cell, at) => (textOf(cell) === "" ? [] : [[`      ${names[at]}`, cell]])),
    ]),
  ]);
  return tableOrLines(reportTable(["  OPTION", "BEFORE", "AFTER", "FROM"], table), lines, columns);
}
