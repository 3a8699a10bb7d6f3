/** What a node is to those who tune it. Paths are absolute, as the node itself sees them. */
export interface Host {
  read(path: string): Promise<FileText>;
  /**
   * Writes in place, in one call: what the kernel's files want. Files below /proc and /sys are never created; elsewhere
   * a missing file is, folders included.
   */
  write(path: string, text: string): Promise<Outcome>;
  /**
   * Puts a whole file in the place of another: a crash leaves the old one or the new one, and the new one lasts. Without
   * a mode it keeps the old one's.
   */
  replace(path: string, text: string, mode?: number): Promise<Outcome>;
  /** A file that is not there is removed already. */
  remove(path: string): Promise<Outcome>;
  /** Names in a folder, sorted; none when there is no such folder. */
  list(path: string): Promise<string[]>;
  /** The path without links on the way, as far as there is something; the path itself where there is nothing. */
  real(path: string): Promise<string>;
  /**
   * Keeps a file open with these bytes written to it, in the place of what was held there before: some requests to the
   * kernel last as long as that. Nothing to write lets go.
   */
  hold?(path: string, hex: string): Promise<Outcome>;
  /**
   * Keeps a program running until it is told otherwise (no words) or this process ends, which it notices by the end of its
   * input. One that runs already under this name stays.
   */
  keep?(name: string, argv: readonly string[]): Promise<Outcome>;
  /** Runs a program without a shell. */
  run(argv: readonly string[], options?: RunOptions): Promise<CommandResult>;
}

export type FileText = { type: "text"; text: string } | { type: "missing" } | Failure;

export type Outcome = { type: "done" } | Failure;

/** `code` as the kernel names it: EACCES, EINVAL, ENOENT, … */
export interface Failure {
  type: "failed";
  code: string;
  message: string;
}

export interface RunOptions {
  /** Default 10 s; then the program is killed. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Added to the environment. */
  env?: Readonly<Record<string, string>>;
  /** The folder it is started in. */
  cwd?: string;
}

export type CommandResult =
  | { type: "exited"; code: number; stdout: string; stderr: string }
  /** Not started, or ended by a signal or the time limit. */
  | { type: "failed"; message: string };

/** The kernel's own file systems: their files exist or not, nobody creates them. */
export function isKernelPath(path: string): boolean {
  return path.startsWith("/proc/") || path.startsWith("/sys/");
}
