import type { MemoryHost } from "../../../../node/host/memory-host.ts";
import type { FileText } from "../../../../node/host/host.ts";
import type { Connection } from "../../../../cluster/kube/connect/connection.ts";

/** A container whose first word is `attune`, as it runs inside this process. */
export interface ProgramRun {
  /** The words after `attune`. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The node it runs on. */
  host: MemoryHost;
  /** What is mounted into the container. */
  files: ContainerFiles;
  /** To the cluster, with the token of its pod's ServiceAccount. */
  connection: Connection;
  node: string;
  /** A line of its log. */
  write: (line: string) => void;
  /** SIGTERM. Whoever goes on after the grace period is cut off from its log and from the cluster. */
  signal: AbortSignal;
}

/** Resolves with the exit code. What it throws is written to its log, and the exit code is 1. */
export type Program = (run: ProgramRun) => Promise<number>;

export interface ContainerFiles {
  read(path: string): Promise<FileText>;
  list(path: string): Promise<string[]>;
}
