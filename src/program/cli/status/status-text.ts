import type { FleetRow } from "../../../domain/fleet/fleet-row.ts";
import { count, type Grouping, groupRows } from "../../../domain/fleet/fleet-summary.ts";
import { printable } from "../terminal/terminal.ts";
import { type Cell, linesText, reportTable } from "../terminal/text-table.ts";
import { poolTable } from "../up/pool-outcome.ts";
import { groupTable, nodeTable, type TextOptions } from "./node-text.ts";
import type { StatusReport } from "./status-report.ts";

export interface StatusTextOptions extends TextOptions {
  /** Every node by name. */
  readonly wide: boolean;
  readonly by: Grouping;
}

/** Up to so many nodes are listed one by one; of more, only those that are not as wanted, and of these only so many. */
const mostNodes = 20;

/** The answer, then what it is about. */
export function statusText(report: StatusReport, options: StatusTextOptions): string {
  const { answer, summary, nodes } = report;
  const { bold } = options.colours;
  const parts = [
    printable(answer),
    systemText(report, options),
    section("NodePools", nodePoolText(report, options), bold),
    section("Pools", report.pools.length > 0 ? poolTable(report.pools, options.columns) : "", bold),
  ];
  if (summary.nodes > mostNodes)
    parts.push(section("Nodes", groupTable(options.by.toUpperCase(), groupRows(nodes, options.by), options), bold));
  const [title, shown, left] = shownOf(nodes, options.wide);
  const rest = left === 0 ? "" : `\n${count(left)} more: -o wide lists every node`;
  parts.push(section(title, shown.length === 0 ? "" : nodeTable(shown, options) + rest, bold));
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function shownOf(nodes: readonly FleetRow[], wide: boolean): [title: string, shown: readonly FleetRow[], left: number] {
  if (wide || nodes.length <= mostNodes) return ["Nodes", nodes, 0];
  const notable = nodes.filter(({ state }) => state !== "As wanted");
  return ["Not as wanted", notable.slice(0, mostNodes), Math.max(0, notable.length - mostNodes)];
}

function section(title: string, text: string, paint: (text: string) => string): string {
  return text === "" ? "" : `${paint(title)}\n${text}`;
}

function systemText({ system, managementState }: StatusReport, { colours, columns }: TextOptions): string {
  const { red, yellow, dim } = colours;
  const paints = { ok: dim, bad: red, unknown: yellow };
  const rows = system.map(({ part, state, text }): Cell[] => [
    `${part.slice(0, 1).toUpperCase()}${part.slice(1)}:`,
    { text: printable(text), paint: paints[state] },
  ]);
  if (managementState === "Unmanaged")
    rows.push(["Tuning:", { text: "not updated: managementState of the Tuned default is Unmanaged", paint: yellow }]);
  return rows.length === 0 ? "" : linesText(rows, columns);
}

function nodePoolText({ nodePools }: StatusReport, { columns }: TextOptions): string {
  if (nodePools.length === 0) return "";
  const cells = nodePools.map(({ name, nodes, waitsFor }) => [
    printable(name),
    String(nodes),
    printable(waitsFor) || "nothing",
  ]);
  return reportTable(["NODEPOOL", "NODES", "WAITS FOR"], cells, columns);
}
