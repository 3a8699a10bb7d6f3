/** What is wrong with a profile, and where. */
export interface Problem {
  readonly message: string;
  readonly file?: string;
  /** Counted from one. */
  readonly line?: number;
}

/** What TuneD only logs, in TuneD's words where it has some. */
export interface Notice extends Problem {
  readonly level: "error" | "warning" | "info";
  /** A setting is left out because a program may not be run. */
  readonly refused?: true;
}

export function formatProblem({ message, file, line }: Problem): string {
  if (file === undefined) return message;
  return `${line === undefined ? file : `${file}:${line}`}: ${message}`;
}
