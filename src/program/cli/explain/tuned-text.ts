import type {
  ProfileExplanation,
  ProfileOnNodes,
  RuleOutcome,
  TunedExplanation,
} from "../../../domain/node-tuning/explain/explain-tuned.ts";
import { namesText } from "../plan/node-names.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { type Cell, linesText, tableOrLines, textTable, widestCell } from "../terminal/text-table.ts";

/** Nodes that are shown by name in one cell. */
const few = 3;

interface Shown {
  /** Names of nodes in one cell. */
  readonly most: number;
  /** Of the terminal. */
  readonly columns: number | undefined;
}

/** What became of a Tuned, as people read it. `wide`: with every node by name. */
export function tunedExplanationText(
  explanation: TunedExplanation,
  colours: Colours,
  { wide = false, columns }: { readonly wide?: boolean; readonly columns?: number | undefined } = {},
): string {
  const shown = { most: wide ? Infinity : few, columns };
  const parts = [
    linesText(headRows(explanation, colours, shown), columns),
    ...explanation.rules.map(({ index, profile, priority, nodes }) => {
      const title = colours.bold(printable(`recommend[${index}]: profile ${profile}, priority ${priority}`));
      return `${title}\n${nodes.length === 0 ? "  the cluster has no Linux nodes" : outcomeText(nodes, colours, shown)}`;
    }),
  ];
  return `${parts.join("\n\n")}\n`;
}

function headRows(explanation: TunedExplanation, colours: Colours, { most }: Shown): Cell[][] {
  const { bold, yellow, red, dim } = colours;
  const { tuned, rules, profiles, managementState, conditions, otherSystems } = explanation;
  const rows: Cell[][] = [["Tuned:", { text: printable(tuned), paint: bold }]];
  if (managementState !== "Managed")
    rows.push(["But:", { text: `managementState of the Tuned default is ${managementState}`, paint: yellow }]);
  if (rules.length === 0) rows.push(["Rules:", { text: "none: it only defines profiles", paint: dim }]);
  const reached = profiles.flatMap((profile) => profileCells(profile, colours, most));
  for (const [at, cell] of reached.entries()) rows.push([at === 0 ? "Profiles:" : "", cell]);
  const notable = conditions.filter(({ status, message }) => status !== "True" || message !== "");
  for (const [at, { type, status, reason, message }] of notable.entries()) {
    const text = printable(`${type}=${status} (${reason})${message === "" ? "" : `: ${message}`}`);
    rows.push([at === 0 ? "Conditions:" : "", { text, paint: status === "True" ? yellow : red }]);
  }
  if (otherSystems.length > 0) rows.push(["Not Linux:", { text: namesText(otherSystems, most), paint: dim }]);
  return rows;
}

function profileCells({ profile, nodes }: ProfileExplanation, colours: Colours, most: number): Cell[] {
  const { green, yellow, red } = colours;
  const paints = { "in force": green, degraded: red, "not yet": yellow };
  const said = { "in force": "in force", degraded: "degraded", "not yet": "not in force yet" };
  if (nodes.length === 0) return [{ text: printable(`${profile}: no node needs it`), paint: yellow }];
  return nodes.map(({ state, by, nodes: names }: ProfileOnNodes): Cell => {
    const through = by === profile ? "" : `, which ${names.length === 1 ? "has" : "have"} the profile ${by}`;
    return {
      text: printable(`${profile}: ${said[state]} on ${namesText(names, most)}${through}`),
      paint: paints[state],
    };
  });
}

/** A table, or where it is wider than the terminal, a few lines for each outcome. */
function outcomeText(outcomes: readonly RuleOutcome[], colours: Colours, { most, columns }: Shown): string {
  const { green, yellow, red, dim } = colours;
  const paints = {
    chosen: green,
    tied: yellow,
    "lower priority": (text: string) => text,
    "no match": dim,
    unusable: red,
  } satisfies Record<RuleOutcome["outcome"], (text: string) => string>;
  const found = outcomes.map(({ outcome, because, instead, nodes }) => {
    const cell = (text: string): Cell => ({ text: printable(text), paint: paints[outcome] });
    const verdict = outcome === "lower priority" ? "matches, lower priority" : outcome;
    const why = instead === undefined ? because : `${because}, but ${instead} comes first`;
    return { cell, verdict, why, count: String(nodes.length), names: namesText(nodes, most) };
  });
  const table = found.map(({ cell, verdict, count, names, why }) => [`  ${verdict}`, count, names, why].map(cell));
  const lines = found.flatMap(({ cell, verdict, count, names, why }) => [
    [cell(`  ${verdict}, ${count === "1" ? "node" : `${count} nodes:`} ${names}`)],
    [cell(`      ${why}`)],
  ]);
  const headings = ["  OUTCOME", "COUNT", "NODES", "BECAUSE"];
  return tableOrLines(textTable(headings, table, { widest: widestCell }), lines, columns);
}
