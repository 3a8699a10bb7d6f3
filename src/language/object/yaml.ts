import { Composer, Lexer, LineCounter, Parser, type CST, type Document, type ScalarTag, type Tags } from "yaml";

/** The text is no YAML. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** Aliases that expand to more than this many nodes are an attack, not a manifest. */
const maxAliasCount = 100;

/** The composer calls itself for every level, and running out of stack inside a regular expression ends the process. */
const maxDepth = 256;

const readOptions = {
  uniqueKeys: false,
  version: "1.1",
  merge: true,
  logLevel: "silent",
  customTags: (tags: Tags): Tags => [...goTags, ...tags.filter((tag) => !isForeign(tag))],
} as const;

/**
 * YAML as Kubernetes reads it: version 1.1, where `yes` is true. Of a key that is given twice the last value counts, of
 * several documents the first.
 * Loaded only where YAML is met: callers import this file dynamically.
 */
export function readYaml(text: string): unknown {
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  const [fault] = document.errors;
  if (fault) throw new YamlError(`line ${lines.linePos(fault.pos[0]).line}: ${fault.message}`, { cause: fault });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount });
  } catch (error) {
    throw new YamlError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  heightOf(value, 0, new Map());
  return value;
}

/** Aliases can lead a value into itself, and join shallow pieces to one that nobody can walk. */
function heightOf(value: unknown, depth: number, heights: Map<object, number | undefined>): number {
  if (typeof value !== "object" || value === null) return 0;
  let height = heights.get(value);
  if (height === undefined) {
    if (heights.has(value)) throw new YamlError("an anchor's value contains itself");
    heights.set(value, undefined);
    if (depth > maxDepth) throw tooDeep();
    height = 0;
    for (const child of Object.values(value)) height = Math.max(height, 1 + heightOf(child, depth + 1, heights));
    heights.set(value, height);
  }
  if (depth + height > maxDepth) throw tooDeep();
  return height;
}

const tooDeep = (): YamlError => new YamlError(`exceeded max depth of ${maxDepth}`);

function firstDocument(text: string, lines: LineCounter): Document.Parsed {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    // Its stack is what is open at this point, and a document.
    if (parser.stack.length > maxDepth + 1) throw tooDeep();
  }
  tokens.push(...parser.end());
  for (const document of new Composer(readOptions).compose(tokens, true, text.length)) return document;
  throw new YamlError("no document");
}

/** Sets and ordered maps are no JSON; times of day and dates are texts to Kubernetes. */
function isForeign(tag: Tags[number]): boolean {
  if (typeof tag === "string") return false;
  if ("format" in tag && tag.format === "TIME") return true;
  return ["set", "omap", "pairs", "timestamp", "binary"].includes(tag.tag.replace("tag:yaml.org,2002:", ""));
}

const int = (test: RegExp, radix: number): ScalarTag => ({
  tag: "tag:yaml.org,2002:int",
  default: true,
  identify: () => false,
  test,
  resolve(text) {
    const digits = text.replace(/_/g, "").replace(/^([-+]?)0[a-z]/i, "$1");
    return Number.parseInt(digits, radix);
  },
});

/** What Go reads and YAML 1.1 does not say, or says otherwise. */
const goTags: ScalarTag[] = [
  // An exponent or a dot alone is no number.
  {
    tag: "tag:yaml.org,2002:str",
    default: true,
    identify: () => false,
    test: /^[-+]?(?=[.eE])[._]*(?:[eE][-+]?[0-9]+)?$/,
    resolve: (text) => text,
  },
  int(/^[-+]?0[oO][0-7_]+$/, 8),
  int(/^[-+]?0X[0-9a-fA-F_]+$/, 16),
  int(/^[-+]?0B[01_]+$/, 2),
  {
    tag: "tag:yaml.org,2002:float",
    default: true,
    identify: () => false,
    test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
    resolve(text, onError) {
      onError(`unsupported value: ${text}`);
      return text;
    },
  },
  {
    tag: "tag:yaml.org,2002:binary",
    identify: () => false,
    resolve(text, onError) {
      try {
        return new TextDecoder().decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)));
      } catch {
        onError("!!binary value contains invalid base64 data");
        return text;
      }
    },
  },
];
