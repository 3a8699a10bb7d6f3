import { exactInteger } from "./exact-json.ts";
import {
  Composer,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type CST,
  type Document,
  type ScalarTag,
  type Tags,
} from "yaml";

/** The text is not valid YAML. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** No manifest has aliases that expand to more nodes; an attack may. */
const maxAliasCount = 100;

/** The composer is recursive, and a stack overflow inside a regular expression ends the process. */
const maxDepth = 256;

/** Time and memory grow with the tokens of a text; its aliases can repeat long texts. */
export interface YamlLimits {
  readonly tokens: number;
  readonly characters: number;
}

const unlimited: YamlLimits = { tokens: Infinity, characters: Infinity };

const readOptions = {
  uniqueKeys: false,
  version: "1.1",
  merge: true,
  logLevel: "silent",
  customTags: (tags: Tags): Tags => [...goTags, ...tags.filter((tag) => !isForeign(tag))],
} as const;

/**
 * YAML as Kubernetes reads it: version 1.1, where `yes` is true. Of a repeated key the last value counts, of several
 * documents the first. Callers import this file dynamically, since the library is slow to load. `repeated` collects
 * repeated keys, in the words of Go's YAML library.
 */
export function readYaml(text: string, limits: YamlLimits = unlimited, repeated?: string[]): unknown {
  const lines = new LineCounter();
  const document = firstDocument(text, lines, limits);
  const [fault] = document.errors;
  if (fault) throw new YamlError(`line ${lines.linePos(fault.pos[0]).line}: ${fault.message}`, { cause: fault });
  if (repeated) collectRepeated(document, lines, repeated);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount });
  } catch (error) {
    throw new YamlError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  measure(value, 0, { known: new Map(), limits });
  return value;
}

function collectRepeated(document: Document.Parsed, lines: LineCounter, into: string[]): void {
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value) && key.range)
          into.push(`line ${lines.linePos(key.range[0]).line}: key ${JSON.stringify(key.value)} already set in map`);
        seen.add(key.value);
      }
    },
  });
}

interface Measured {
  readonly height: number;
  readonly characters: number;
}

interface Measuring {
  /** Undefined while a value is measured. */
  readonly known: Map<object, Measured | undefined>;
  readonly limits: YamlLimits;
}

/** Aliases can make a value contain itself, or join small values to one too deep for recursion or too large for memory. */
function measure(value: unknown, depth: number, measuring: Measuring): Measured {
  if (typeof value === "string") return { height: 0, characters: value.length };
  if (typeof value !== "object" || value === null) return { height: 0, characters: 1 };
  const { known, limits } = measuring;
  let measured = known.get(value);
  if (measured === undefined) {
    if (known.has(value)) throw new YamlError("an anchor's value contains itself");
    known.set(value, undefined);
    if (depth > maxDepth) throw tooDeep();
    let [height, characters] = [0, 0];
    for (const [key, child] of Object.entries(value)) {
      const inner = measure(child, depth + 1, measuring);
      height = Math.max(height, 1 + inner.height);
      characters += inner.characters + (Array.isArray(value) ? 0 : key.length);
      if (characters > limits.characters)
        throw new YamlError(`its aliases repeat more than ${limits.characters} characters`);
    }
    measured = { height, characters };
    known.set(value, measured);
  }
  if (depth + measured.height > maxDepth) throw tooDeep();
  return measured;
}

const tooDeep = (): YamlError => new YamlError(`exceeded max depth of ${maxDepth}`);

function firstDocument(text: string, lines: LineCounter, limits: YamlLimits): Document.Parsed {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  let [seen, cost] = [0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    seen++;
    // An alias may repeat everything before it.
    cost += lexeme.startsWith("*") ? seen : 1;
    if (cost > limits.tokens)
      throw new YamlError(`it has more than ${limits.tokens} tokens with what its aliases repeat`);
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

const prefixes = { 2: "0b", 8: "0o", 10: "", 16: "0x" } as const;

/** The largest float64 has 309, and the time that BigInt takes grows faster than they do. */
const mostDigits = 309;

const int = (test: RegExp, radix: keyof typeof prefixes): ScalarTag => ({
  tag: "tag:yaml.org,2002:int",
  default: true,
  identify: () => false,
  test,
  resolve(text) {
    const digits = text.replace(/_/g, "").replace(/^[-+]?(?:0[a-z])?/i, "");
    if (digits === "") return Number.NaN;
    // Go's library makes a float64 of what 64 bits cannot hold, and a text of what a float64 cannot hold either.
    if (digits.length > mostDigits) return text;
    const amount = BigInt(`${prefixes[radix]}${digits}`);
    return exactInteger(String(text.startsWith("-") ? -amount : amount));
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
  int(/^[-+]?0[xX][0-9a-fA-F_]+$/, 16),
  int(/^[-+]?0[bB][01_]+$/, 2),
  int(/^[-+]?0[0-7_]+$/, 8),
  int(/^[-+]?[0-9][0-9_]*$/, 10),
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
