/** Nodes that get the agent of another ScyllaNodeConfig, or lose theirs. */
export interface AgentChange {
  readonly nodes: readonly string[];
  /** The ScyllaNodeConfig whose agent tunes the nodes. Absent: none. */
  readonly before?: string;
  readonly after?: string;
}

/** Databases whose start depends on something else than before. */
export interface DatabaseChange extends Outcome {
  /** With their namespace. */
  readonly pods: readonly string[];
}

export interface Outcome {
  /** `untuned`: the operator lets them start. `waiting`: their config decides about them, and has no agents. */
  readonly becomes: "tuned" | "untuned" | "waiting";
  /** Why not `tuned`. */
  readonly because?: string;
  /** The ScyllaNodeConfig that decides. */
  readonly config?: string;
}

export interface ScyllaChange {
  readonly agents: readonly AgentChange[];
  readonly databases: readonly DatabaseChange[];
}
