import { CompileError, type LiteralValue } from "./syntax.ts";

export type Token =
  | { type: "literal"; at: number; text: string; value: LiteralValue }
  | { type: "identifier"; at: number; text: string }
  | { type: "symbol"; at: number; text: string }
  | { type: "end"; at: number; text: "<EOF>" };

const symbols = ["&&", "||", "==", "!=", "<=", ">=", ..."<>+-*/%!?:.,()[]{}"];
const number = /(0[xX][0-9a-fA-F]+|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+)([uU]?)/y;
const word = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const space = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y;
const stringStart = /([rR][bB]?|[bB][rR]?)?("""|'''|"|')/y;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const gap = matchAt(space, source, at);
    if (gap) {
      at += gap[0].length;
      continue;
    }
    const token = stringAt(source, at) ?? numberAt(source, at) ?? wordAt(source, at) ?? symbolAt(source, at);
    if (!token) throw new CompileError(`Syntax error: token recognition error at: '${source.slice(at, at + 2)}'`, at);
    tokens.push(token.token);
    at = token.end;
  }
  tokens.push({ type: "end", at, text: "<EOF>" });
  return tokens;
}

interface Scanned {
  token: Token;
  end: number;
}

function matchAt(expression: RegExp, source: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(source);
}

function wordAt(source: string, at: number): Scanned | undefined {
  const text = matchAt(word, source, at)?.[0];
  if (text === undefined) return undefined;
  const end = at + text.length;
  if (text === "true" || text === "false")
    return { token: { type: "literal", at, text, value: { type: "bool", value: text === "true" } }, end };
  if (text === "null") return { token: { type: "literal", at, text, value: { type: "null" } }, end };
  return { token: { type: text === "in" ? "symbol" : "identifier", at, text }, end };
}

function symbolAt(source: string, at: number): Scanned | undefined {
  const text = symbols.find((symbol) => source.startsWith(symbol, at));
  return text === undefined ? undefined : { token: { type: "symbol", at, text }, end: at + text.length };
}

function numberAt(source: string, at: number): Scanned | undefined {
  const match = matchAt(number, source, at);
  if (!match) return undefined;
  const [text, digits = "", unsigned] = match;
  // `.5` is a number only if no value precedes it: after `a` or `)` the dot selects a member.
  if (text.startsWith(".") && /[\w)\]]/.test(source.charAt(at - 1))) return undefined;
  const end = at + text.length;
  const isInteger = /^(?:0[xX][0-9a-fA-F]+|\d+)$/.test(digits);
  if (!isInteger) {
    if (unsigned) throw new CompileError("Syntax error: invalid unsigned number", at);
    return { token: { type: "literal", at, text, value: { type: "double", value: Number(digits) } }, end };
  }
  if (digits.length > 40) throw new CompileError("Syntax error: invalid int literal", at);
  const value = BigInt(digits);
  if (unsigned && value >= 2n ** 64n) throw new CompileError("invalid uint literal", at);
  // 2^63 is one too many for int64, but a minus in front may turn it into the smallest int64.
  if (!unsigned && value > 2n ** 63n) throw new CompileError("invalid int literal", at);
  return { token: { type: "literal", at, text, value: { type: unsigned ? "uint" : "int", value } }, end };
}

function stringAt(source: string, at: number): Scanned | undefined {
  const start = matchAt(stringStart, source, at);
  if (!start) return undefined;
  const [opening, prefix = "", quote = ""] = start;
  const raw = /r/i.test(prefix);
  const bytes = /b/i.test(prefix);
  let text = "";
  let i = at + opening.length;
  for (;;) {
    if (i >= source.length || (quote.length === 1 && source[i] === "\n"))
      throw new CompileError("Syntax error: unterminated string", at);
    if (source.startsWith(quote, i)) break;
    if (source[i] === "\\" && !raw) {
      const escape = unescape(source, i, bytes);
      text += escape.text;
      i = escape.end;
    } else if (source[i] === "\\") {
      text += source.slice(i, i + 2);
      i += 2;
    } else text += source.charAt(i++);
  }
  const end = i + quote.length;
  const value: LiteralValue = bytes ? { type: "bytes", value: toBytes(text) } : { type: "string", value: text };
  return { token: { type: "literal", at, text: source.slice(at, end), value }, end };
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["`", "`"],
  ["?", "?"],
]);
const codeEscape = /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;
/** Marks bytes that were written as escapes until the whole literal is encoded. */
const byteBase = 0xf700;

function unescape(source: string, at: number, bytes: boolean): { text: string; end: number } {
  const simple = simpleEscapes.get(source.charAt(at + 1));
  if (simple !== undefined) return { text: simple, end: at + 2 };
  const match = matchAt(codeEscape, source, at);
  if (!match) throw new CompileError("Syntax error: invalid escape sequence", at);
  const [text, x, bigX, u, bigU, octal] = match;
  const code = octal === undefined ? Number.parseInt(x ?? bigX ?? u ?? bigU ?? "", 16) : Number.parseInt(octal, 8);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw new CompileError("Syntax error: invalid unicode code point", at);
  const end = at + text.length;
  if (bytes && u === undefined && bigU === undefined) return { text: String.fromCharCode(byteBase + code), end };
  return { text: String.fromCodePoint(code), end };
}

function toBytes(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= byteBase && code <= byteBase + 0xff) bytes.push(code - byteBase);
    else bytes.push(...new TextEncoder().encode(character));
  }
  return Uint8Array.from(bytes);
}
