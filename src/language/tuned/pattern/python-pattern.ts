import { RE2JS } from "re2js";

/** Profiles write Python's regular expressions; they are run by RE2, which takes linear time whatever the pattern. */
export interface PythonPattern {
  /** `re.search` */
  search(text: string): boolean;
  /** `re.match`: from the start of the text. */
  match(text: string): boolean;
}

export type CompiledPattern =
  | { type: "pattern"; pattern: PythonPattern }
  /** Python would not take it either. */
  | { type: "malformed"; message: string }
  /** Python takes it, RE2 cannot: looking around, referring back, possessive and conditional parts. */
  | { type: "unsupported"; message: string };

export interface PatternFlags {
  readonly multiline?: boolean;
  readonly dotAll?: boolean;
  readonly ignoreCase?: boolean;
}

const longestPattern = 1000;

export function compilePython(source: string, flags: PatternFlags = {}): CompiledPattern {
  if (source.length > longestPattern)
    return { type: "unsupported", message: `a regular expression of more than ${longestPattern} characters` };
  const translated = translate(source, flags.multiline ?? false);
  if (translated.type !== "source") return translated;
  let bits = flags.multiline ? RE2JS.MULTILINE : 0;
  if (flags.dotAll) bits |= RE2JS.DOTALL;
  if (flags.ignoreCase) bits |= RE2JS.CASE_INSENSITIVE;
  try {
    const compiled = RE2JS.compile(translated.source, bits);
    return {
      type: "pattern",
      pattern: {
        search: (text) => compiled.matcher(text).find(),
        match: (text) => compiled.matcher(text).lookingAt(),
      },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace("error parsing regexp: ", "") : String(error);
    // RE2 counts at most to 1000, Python further.
    const type = why.startsWith("invalid repeat count") ? "unsupported" : "malformed";
    return { type, message: `regular expression ${JSON.stringify(source)}: ${why}` };
  }
}

type Translation = { type: "source"; source: string } | Exclude<CompiledPattern, { type: "pattern" }>;

type Piece = { type: "text"; text: string; length: number } | { type: "unsupported" | "malformed"; what: string };

/**
 * Python's dialect in RE2's: `\Z` is the very end; `$` outside of multiline mode also stands before a last newline;
 * `{,3}` counts from none; `[` within brackets is just a character; `\d`, `\w` and `\s` know ASCII only.
 */
function translate(source: string, multiline: boolean): Translation {
  const lines = multiline || /^\(\?[a-z]*m/i.test(source);
  let out = "";
  for (let i = 0; i < source.length;) {
    const piece = pieceAt(source, i, lines);
    if (piece.type !== "text")
      return { type: piece.type, message: `regular expression ${JSON.stringify(source)}: ${piece.what}` };
    out += piece.text;
    i += piece.length;
  }
  return { type: "source", source: out };
}

function pieceAt(source: string, at: number, lines: boolean): Piece {
  const rest = source.slice(at, at + 100);
  const character = rest.charAt(0);
  if (character === "\\") return escapeAt(source, at, false);
  if (character === "[") return setAt(source, at);
  if (rest.startsWith("(?")) return groupAt(source, at);
  if (character === "$" && !lines) return { type: "text", text: "(?:\\n?\\z)", length: 1 };
  if (/^[*+?}]\+/.test(rest) && isRepetition(source, at))
    return { type: "unsupported", what: "a possessive repetition is not supported" };
  if (/^\{,[0-9]+\}/.test(rest)) return { type: "text", text: "{0", length: 1 };
  return { type: "text", text: character, length: 1 };
}

/** Whether the character ends a repetition: a `}` that closes no count is just a character. */
function isRepetition(source: string, at: number): boolean {
  if (source[at] !== "}") return true;
  const open = source.lastIndexOf("{", at);
  return open > 0 && /^\{[0-9]*,?[0-9]*\}$/.test(source.slice(open, at + 1));
}

function escapeAt(source: string, at: number, inSet: boolean): Piece {
  const next = source.charAt(at + 1);
  if (next === "") return { type: "malformed", what: "bad escape (end of pattern)" };
  const octal = /^\\(0[0-7]{0,2}|[0-3][0-7]{2})/.exec(source.slice(at, at + 4));
  if (octal) return code(Number.parseInt(octal[1] ?? "0", 8), octal[0].length);
  if (/[0-9]/.test(next))
    return inSet
      ? { type: "malformed", what: `bad escape \\${next}` }
      : { type: "unsupported", what: "a reference to an earlier group is not supported" };
  const hex = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))/i.exec(source.slice(at, at + 10));
  if (hex) {
    const point = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "0", 16);
    return point > 0x10ffff ? { type: "malformed", what: "bad escape" } : code(point, hex[0].length);
  }
  if (inSet && next === "b") return code(8, 2);
  if (!inSet && next === "Z") return { type: "text", text: "\\z", length: 2 };
  if ((inSet ? /[dDwWsSafnrtv]/ : /[dDwWsSafnrtvAbB]/).test(next))
    return { type: "text", text: `\\${next}`, length: 2 };
  if (/[a-zA-Z]/.test(next)) return { type: "malformed", what: `bad escape \\${next}` };
  const literal = String.fromCodePoint(source.codePointAt(at + 1) ?? 0);
  return { type: "text", text: RE2JS.quote(literal), length: 1 + literal.length };
}

function code(point: number, length: number): Piece {
  return { type: "text", text: `\\x{${point.toString(16)}}`, length };
}

/** `[…]`, in which a `]` that comes first is meant as itself. */
function setAt(source: string, at: number): Piece {
  let text = "[";
  let i = at + 1;
  if (source[i] === "^") {
    text += "^";
    i++;
  }
  for (let first = true; ; first = false) {
    const character = source.charAt(i);
    if (character === "") return { type: "malformed", what: "unterminated character set" };
    if (character === "]" && !first) return { type: "text", text: `${text}]`, length: i + 1 - at };
    if (character === "\\") {
      const escape = escapeAt(source, i, true);
      if (escape.type !== "text") return escape;
      text += escape.text;
      i += escape.length;
    } else {
      text += character === "[" || character === "]" ? `\\${character}` : character;
      i++;
    }
  }
}

function groupAt(source: string, at: number): Piece {
  const rest = source.slice(at, at + 100);
  if (rest.startsWith("(?#")) {
    const close = source.indexOf(")", at);
    return close < 0
      ? { type: "malformed", what: "missing ), unterminated comment" }
      : { type: "text", text: "", length: close + 1 - at };
  }
  if (/^\(\?(=|!|<=|<!)/.test(rest)) return { type: "unsupported", what: "looking ahead or behind is not supported" };
  if (rest.startsWith("(?P=")) return { type: "unsupported", what: "a reference to an earlier group is not supported" };
  if (rest.startsWith("(?>")) return { type: "unsupported", what: "an atomic group is not supported" };
  if (rest.startsWith("(?(")) return { type: "unsupported", what: "a conditional part is not supported" };
  if (rest.startsWith("(?:") || rest.startsWith("(?P<"))
    return { type: "text", text: rest.startsWith("(?:") ? "(?:" : "(?P<", length: rest.startsWith("(?:") ? 3 : 4 };
  const flags = /^\(\?([aiLmsux]*)(-[imsx]+)?([:)])/.exec(rest);
  if (!flags) return { type: "malformed", what: "unknown extension (?" };
  const [whole, on = "", off = "", end = ""] = flags;
  if (`${on}${off}`.includes("x")) return { type: "unsupported", what: "verbose mode is not supported" };
  if (end === ")" && at > 0) return { type: "malformed", what: "global flags not at the start of the expression" };
  // Whether letters are Unicode's or ASCII's changes nothing here.
  const kept = on.replaceAll(/[aLu]/g, "");
  const text = end === ")" ? (kept === "" ? "" : `(?${kept})`) : `(?${kept}${off}:`;
  return { type: "text", text, length: whole.length };
}
