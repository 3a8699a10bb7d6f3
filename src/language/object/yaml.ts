import { Composer, Lexer, LineCounter, Parser, type CST, type Document, type ScalarTag, type Tags } from "yaml";

/** The text is not valid YAML. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** No manifest has aliases that expand to more nodes; an attack may. */
const maxAliasCount = 100;

/** The composer is recursive, and a stack overflow inside a regular expression ends the process. */
const maxDepth = 256;

const readOptions = {
  uniqueKeys: false,
  version: "1.1",
  merge: true,
  logLevel: "silent",
  customTags: (tags: Tags): Tags => [...goTags, ...tags.filter((tag) => !isForeign(tag))],
} as const;

/**
 * YAML as Kubernetes reads it: version 1.1, where `yes` is true. Of a repeated key the last value counts, of several
 * documents the first. Callers import this file dynamically, since the library is slow to load.
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

/** Aliases can make a value contain itself, or join shallow values to one too deep for recursion. */
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
    // The stack has the open collections, and the document.
    if (parser.stack.length > maxDepth + 1) throw tooDeep();
  }
  tokens.push(...parser.end());
  for (const document of new Composer(readOptions).compose(tokens, true, text.length)) return document;
  throw new YamlError("no document");
}

/** Kubernetes has no sets and ordered maps, and reads times and dates as texts. */
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

/** Where Go's YAML library differs from YAML 1.1. */
const goTags: ScalarTag[] = [
  // An exponent or a dot alone is a text.
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
