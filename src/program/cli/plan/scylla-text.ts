import { describeAgents, describeDatabases } from "../../../domain/plan/scylla/describe-scylla.ts";
import type { AgentChange, DatabaseChange, ScyllaChange } from "../../../domain/plan/scylla/scylla-change.ts";
import { type Colours, printable } from "../terminal/terminal.ts";
import { paragraph } from "../terminal/wrap.ts";
import { type Limits, namesText, nodeNames } from "./node-names.ts";

/** Which nodes get or lose an agent, and what that means for databases. */
export function scyllaText(scylla: ScyllaChange | undefined, limits: Limits, colours: Colours): string[] {
  const { agents = [], databases = [] } = scylla ?? {};
  const lines = [
    ...agents.map((change) => ({ text: agentText(change, limits), paint: colours.bold })),
    ...databases.map((change) => ({ text: databaseText(change, limits), paint: paintOf(change, colours) })),
  ];
  return lines.length === 0 ? [] : [lines.flatMap((line) => paragraph([line], limits.columns)).join("\n")];
}

function agentText(change: AgentChange, { most }: Limits): string {
  return `${nodeNames(change.nodes, most)}: ${printable(describeAgents(change))}`;
}

function databaseText(change: DatabaseChange, { most }: Limits): string {
  const { pods } = change;
  const names = `${pods.length === 1 ? "Database" : "Databases"} ${namesText(pods, most)}`;
  return `${names}: ${printable(describeDatabases(change))}`;
}

function paintOf({ becomes }: DatabaseChange, { red, yellow }: Colours): (text: string) => string {
  return { tuned: String, untuned: yellow, waiting: red }[becomes];
}
