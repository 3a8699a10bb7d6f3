/** How the kernel chooses among tasks. */
export interface Policy {
  /** In rules of profiles, and for `chrt`. */
  readonly letter: "o" | "f" | "r" | "b" | "i";
  readonly name: string;
  /** In `/proc/<pid>/stat`. */
  readonly number: number;
  readonly priorities: readonly [lowest: number, highest: number];
}

/** Those that a policy and a priority describe in full: a task with a deadline could not be put back. */
export const policies: readonly Policy[] = [
  { letter: "o", name: "other", number: 0, priorities: [0, 0] },
  { letter: "f", name: "fifo", number: 1, priorities: [1, 99] },
  { letter: "r", name: "round robin", number: 2, priorities: [1, 99] },
  { letter: "b", name: "batch", number: 3, priorities: [0, 0] },
  { letter: "i", name: "idle", number: 5, priorities: [0, 0] },
];
