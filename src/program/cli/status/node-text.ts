import type { FleetRow, FleetState } from "../../../domain/fleet/fleet-row.ts";
import { count, type FleetGroup } from "../../../domain/fleet/fleet-summary.ts";
import { humanDuration, parseTime } from "../../../language/object/time.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { type Cell, reportTable, tableOrLines } from "../terminal/text-table.ts";

/** For what a text is printed. */
export interface TextOptions {
  readonly colours: Colours;
  /** Of the terminal. */
  readonly columns?: number | undefined;
  readonly now: number;
}

/** A row for each node, or where the table is wider than the terminal, a few lines. */
export function nodeTable(rows: readonly FleetRow[], { colours, columns, now }: TextOptions): string {
  const paints = paintsOf(colours);
  const cells = rows.map((row): Cell[] => [
    printable(row.name),
    printable(row.pool),
    printable(profileOf(row)),
    { text: stateOf(row), paint: paints[row.state] },
    row.drift === 0 ? "" : String(row.drift),
    ageOf(row, now),
    printable(row.because),
  ]);
  const table = reportTable(["NODE", "POOL", "PROFILE", "STATE", "DRIFT", "SINCE", "WHY"], cells);
  const lines = rows.flatMap((row): Cell[][] => {
    const { name, pool, drift, because, state } = row;
    const age = ageOf(row, now);
    const facts = [stateOf(row), ...(drift === 0 ? [] : [`${drift} changed`]), ...(age === "" ? [] : [`since ${age}`])];
    const where = [profileOf(row) || "no profile", ...(pool === "" ? [] : [`pool ${pool}`])];
    return [
      [{ text: `${printable(name)}   ${facts.join(", ")}`, paint: paints[state] }],
      [`  ${printable(where.join(", "))}`],
      ...(because === "" ? [] : [[{ text: `  ${printable(because)}`, paint: colours.dim }]]),
    ];
  });
  return tableOrLines(table, lines, columns);
}

function profileOf({ profile, inForce }: FleetRow): string {
  return inForce === "" || inForce === profile ? profile : `${inForce} -> ${profile}`;
}

function stateOf({ state, ready, cordoned }: FleetRow): string {
  return [state, ...(ready ? [] : ["NotReady"]), ...(cordoned ? ["cordoned"] : [])].join(", ");
}

function ageOf({ since }: FleetRow, now: number): string {
  const at = since === undefined ? undefined : parseTime(since);
  return at === undefined ? "" : humanDuration(now - at);
}

export function paintsOf({ green, red, yellow }: Colours): Record<FleetState, (text: string) => string> {
  return {
    Degraded: red,
    Drifted: red,
    "Waiting for config": yellow,
    "Waiting for reboot": yellow,
    Applying: yellow,
    Unknown: yellow,
    "As wanted": green,
  };
}

const headings: readonly (readonly [heading: string, state: FleetState])[] = [
  ["AS WANTED", "As wanted"],
  ["CONFIG", "Waiting for config"],
  ["REBOOT", "Waiting for reboot"],
  ["APPLYING", "Applying"],
  ["UNKNOWN", "Unknown"],
  ["DRIFTED", "Drifted"],
  ["DEGRADED", "Degraded"],
];

/** How many nodes of each group are in each state. Columns without a number are left out. */
export function groupTable(title: string, groups: readonly FleetGroup[], { colours, columns }: TextOptions): string {
  const paints = paintsOf(colours);
  const cells = groups.map(({ name, summary }): Cell[] => [
    printable(name) || "none",
    count(summary.nodes),
    ...headings.map(([, state]): Cell => {
      const nodes = summary.states[state];
      return nodes === 0 ? "" : { text: count(nodes), paint: paints[state] };
    }),
  ]);
  return reportTable([title, "NODES", ...headings.map(([heading]) => heading)], cells, columns);
}
