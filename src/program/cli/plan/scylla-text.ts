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

function agentText({ nodes, before, after }: AgentChange, { most }: Limits): string {
  const names = nodeNames(nodes, most);
  const named = (config: string): string => `ScyllaNodeConfig ${printable(config)}`;
  if (before === undefined) return `${names}: an agent of ${named(after ?? "")} comes`;
  if (after === undefined) return `${names}: the agent of ${named(before)} goes, and what it applied stays`;
  return `${names}: the agent of ${named(after)} tunes, no longer that of ${printable(before)}`;
}

function databaseText({ pods, becomes, config = "", because = "" }: DatabaseChange, { most }: Limits): string {
  const names = `${pods.length === 1 ? "Database" : "Databases"} ${namesText(pods, most)}`;
  switch (becomes) {
    case "tuned":
      return `${names}: tuned for, by ScyllaNodeConfig ${printable(config)}`;
    case "untuned":
      return `${names}: let go without tuning: ${printable(because)}`;
    case "waiting":
      return `${names}: not started: ${printable(because)}`;
  }
}

function paintOf({ becomes }: DatabaseChange, { red, yellow }: Colours): (text: string) => string {
  return { tuned: String, untuned: yellow, waiting: red }[becomes];
}
