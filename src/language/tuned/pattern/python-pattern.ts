import { RE2JS } from "re2js";
import { type Pattern, PatternError, type PatternFlags, type PythonPattern } from "./pattern-tree.ts";
import { parsePython } from "./python-syntax.ts";
import { stateMachine } from "./state-machine.ts";

export type { PatternFlags, PythonPattern };

export type CompiledPattern =
  | { type: "pattern"; pattern: PythonPattern }
  /** Python refuses it too. */
  | { type: "malformed"; message: string }
  /** Python accepts it, but it needs backtracking: back references, atomic, possessive and conditional parts. */
  | { type: "unsupported"; message: string };

const longestPattern = 1000;

export function compilePython(source: string, flags: PatternFlags = {}): CompiledPattern {
  const parsed = parse(source, flags);
  if (parsed.type !== "parsed") return parsed;
  try {
    return { type: "pattern", pattern: inRe2(parsed.pattern) ?? stateMachine(parsed.pattern) };
  } catch (error) {
    return refusal(source, error);
  }
}

/** Why `compilePython` refuses it, as far as reading it tells: compiling repeated parts can take seconds. */
export function patternProblem(source: string): string | undefined {
  const parsed = parse(source, {});
  return parsed.type === "parsed" ? undefined : parsed.message;
}

type Refusal = Exclude<CompiledPattern, { type: "pattern" }>;

function parse(source: string, flags: PatternFlags): { type: "parsed"; pattern: Pattern } | Refusal {
  if (source.length > longestPattern)
    return { type: "unsupported", message: `a regular expression of more than ${longestPattern} characters` };
  try {
    return { type: "parsed", pattern: parsePython(source, flags) };
  } catch (error) {
    return refusal(source, error);
  }
}

function refusal(source: string, error: unknown): Refusal {
  if (!(error instanceof PatternError)) throw error;
  return { type: error.type, message: `regular expression ${JSON.stringify(source)}: ${error.message}` };
}

/** RE2 is much faster, but has no look-around, and counts to at most 1000. */
function inRe2(pattern: Pattern): PythonPattern | undefined {
  const source = re2Source(pattern, true);
  if (source === undefined) return undefined;
  const compiled = RE2JS.compile(source);
  return {
    search: (text) => compiled.matcher(text).find(),
    match: (text) => compiled.matcher(text).lookingAt(),
    size: source.length,
  };
}

/** `undefined` for a pattern that RE2 does not support. `atEnd`: no part of the pattern follows. */
function re2Source(pattern: Pattern, atEnd: boolean): string | undefined {
  switch (pattern.type) {
    case "character":
      return pattern.re2;
    case "boundary":
      return atEnd ? pattern.re2AtEnd : pattern.re2;
    case "look":
      return undefined;
    case "sequence":
      return joined(
        pattern.parts.map((part, i) => re2Source(part, atEnd && i === pattern.parts.length - 1)),
        "",
      );
    case "either":
      return joined(
        pattern.options.map((option) => re2Source(option, atEnd)),
        "|",
      );
    case "repeat": {
      const { of, min, max } = pattern;
      const source = re2Source(of, false);
      if (source === undefined || min > 1000 || (max > 1000 && Number.isFinite(max))) return undefined;
      return `(?:${source}){${min},${Number.isFinite(max) ? max : ""}}`;
    }
  }
}

function joined(sources: readonly (string | undefined)[], separator: string): string | undefined {
  return sources.includes(undefined) ? undefined : `(?:${sources.join(separator)})`;
}
