import type { AgentChange, DatabaseChange } from "./scylla-change.ts";

/** What becomes of the agents of nodes, after their names. */
export function describeAgents({ before, after }: AgentChange): string {
  if (before === undefined) return `an agent of ScyllaNodeConfig ${after ?? ""} comes`;
  if (after === undefined) return `the agent of ScyllaNodeConfig ${before} goes, and what it applied stays`;
  return `the agent of ScyllaNodeConfig ${after} tunes, no longer that of ${before}`;
}

/** What the start of databases depends on, after their names. */
export function describeDatabases({ becomes, config = "", because = "" }: DatabaseChange): string {
  const outcomes = {
    tuned: `tuned for, by ScyllaNodeConfig ${config}`,
    untuned: `let go without tuning: ${because}`,
    waiting: `not started: ${because}`,
  };
  return outcomes[becomes];
}
