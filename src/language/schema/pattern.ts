import { RE2JS } from "re2js";

/** Patterns in schemas and rules are RE2: matching takes linear time, which JavaScript's RegExp does not guarantee. */
export interface Pattern {
  test(text: string): boolean;
  /** The first match, or undefined. */
  find(text: string): string | undefined;
  findAll(text: string, limit?: number): string[];
}

export class PatternError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PatternError";
  }
}

const longestPattern = 10_000;
const cacheSize = 1000;
/** Compiling costs far more than matching. A full cache drops its oldest entry. */
const cache = new Map<string, Pattern>();

/** Throws a PatternError with Go's message: `error parsing regexp: missing closing ]: `[``. */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known) return known;
  if (source.length > longestPattern) throw new PatternError("error parsing regexp: expression too large");
  const pattern = compile(source);
  if (cache.size >= cacheSize) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      break;
    }
  }
  cache.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(source);
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  return {
    test: (text) => expression.matcher(text).find(),
    find(text) {
      const matcher = expression.matcher(text);
      return matcher.find() ? (matcher.group() ?? "") : undefined;
    },
    findAll(text, limit = Number.POSITIVE_INFINITY) {
      const found: string[] = [];
      const matcher = expression.matcher(text);
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? "");
      return found;
    },
  };
}
