/** What is wrong with a profile, and where. */
export interface Problem {
  readonly message: string;
  readonly file?: string;
  /** Counted from one. */
  readonly line?: number;
}

export function formatProblem({ message, file, line }: Problem): string {
  if (file === undefined) return message;
  return `${line === undefined ? file : `${file}:${line}`}: ${message}`;
}
