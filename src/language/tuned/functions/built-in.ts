import type { Answer, Probe } from "../probe.ts";
import type { Notice } from "../problem.ts";
import { compilePython, type PatternFlags } from "../pattern/python-pattern.ts";
import type { Budget } from "../budget.ts";

/** One of the functions that profiles may call: `${f:name:argument:…}`. */
export interface BuiltIn {
  readonly least: number;
  readonly most: number;
  call(args: readonly string[], surroundings: Surroundings): Called;
}

export type Called =
  | { type: "text"; text: string }
  /** No result: the call stays as it is written. */
  | { type: "verbatim" }
  | { type: "needs"; probes: readonly Probe[] }
  /** A program may not be run; `message` says which. */
  | { type: "refused"; message: string }
  | { type: "invalid"; message: string };

/** What a function may use besides its arguments. */
export interface Surroundings {
  readonly answer: (probe: Probe) => Answer | undefined;
  readonly notice: (level: Notice["level"], message: string) => void;
  readonly budget: Budget;
}

export function text(value: string): Called {
  return { type: "text", text: value };
}

export const verbatim: Called = { type: "verbatim" };

/** Goes on once the node has answered. */
export function asking(probe: Probe, { answer }: Surroundings, then: (answer: Answer) => Called): Called {
  const answered = answer(probe);
  return answered ? then(answered) : { type: "needs", probes: [probe] };
}

/** Goes on with what the program printed; TuneD goes on with nothing where the program failed. */
export function running(
  argv: readonly string[],
  surroundings: Surroundings,
  then: (output: string, succeeded: boolean) => Called,
): Called {
  return asking({ type: "exec", argv }, surroundings, (answer) => {
    if (answer.type === "text") return then(answer.text, true);
    if (answer.type === "refused")
      return { type: "refused", message: `running \`${argv.join(" ")}\` is refused (${answer.by})` };
    surroundings.notice("error", `Executing '${argv.join(" ")}' error: ${answer.message ?? "no answer"}`);
    return then("", false);
  });
}

/** Goes on with the file's text, or with nothing. */
export function reading(path: string, surroundings: Surroundings, then: (content: string) => Called): Called {
  return asking({ type: "file", path }, surroundings, (answer) => {
    if (answer.type === "text") return then(answer.text);
    const why = answer.type === "none" ? answer.message : undefined;
    surroundings.notice("error", `Error when reading file '${path}': '${why ?? "no such file"}'`);
    return then("");
  });
}

export type Searched = { type: "found"; found: boolean } | { type: "malformed" | "invalid"; message: string };

/** `re.search`, bounded. `malformed`: Python would not take the pattern either. */
export function searching(pattern: string, content: string, budget: Budget, flags?: PatternFlags): Searched {
  const compiled = compilePython(pattern, flags);
  if (compiled.type === "malformed") return compiled;
  if (compiled.type === "unsupported") return { type: "invalid", message: compiled.message };
  if (!budget.search(compiled.pattern.size, content.length))
    return { type: "invalid", message: "the profile searches too much text with regular expressions" };
  return { type: "found", found: compiled.pattern.search(content) };
}
