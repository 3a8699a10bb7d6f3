/** What `attune up --example NAME` creates, beside the one of each mode. */
export interface Example {
  readonly mode: "standalone" | "plain";
  /** What the system has besides. */
  readonly with?: "partitioning" | "scylla";
  /** In the order in which they are created. */
  readonly files: readonly string[];
  /** What it does, and what to look at: lines for a terminal of 80 columns. */
  readonly text: readonly string[];
}

export const examples = {
  tuned: {
    mode: "standalone",
    files: ["tuned.yaml"],
    text: [
      "Tuned database sets two sysctls on the nodes with the label",
      "example.com/database",
      "look at it: attune explain node db-1 vm.swappiness",
    ],
  },
  performance: {
    mode: "plain",
    files: ["pool.yaml", "performance-profile.yaml"],
    text: [
      "PerformanceProfile low-latency reserves the first core of each",
      "socket of rt-1 and rt-2 and isolates the others: one restart each",
      "look at it: attune explain node rt-1",
    ],
  },
  partitioning: {
    mode: "plain",
    with: "partitioning",
    files: ["performance-profile.yaml", "workloads.yaml"],
    text: [
      "pods of DaemonSet monitor run on the reserved CPUs 0 and 1; those of",
      "DaemonSet application have two of the others for themselves",
      "look at it: kubectl -n platform get pods, then attune explain pod",
    ],
  },
  scylla: {
    mode: "standalone",
    with: "scylla",
    files: ["scylla-node-config.yaml", "database.yaml"],
    text: [
      "the database scylla-0 waits until node db-1 is tuned for its CPUs",
      "look at it: kubectl -n db logs scylla-0 -c attune-scylla-gate",
    ],
  },
} satisfies Record<string, Example>;

export type ExampleName = keyof typeof examples;
