import { formatProblem, type Notice, type Problem } from "../../../language/tuned/problem.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";

/** A line for each. Returns the exit code. */
export function reportProblems(problems: readonly Problem[], { err }: Terminal): number {
  err(problems.map((problem) => `error: ${printable(formatProblem(problem))}\n`).join(""));
  return problems.length > 0 ? 1 : 0;
}

export function reportWarnings(warnings: readonly Notice[], { err }: Terminal): void {
  err(warnings.map((warning) => `warning: ${printable(formatProblem(warning))}\n`).join(""));
}
