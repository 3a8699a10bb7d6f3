import type { Holds, Pattern, PatternFlags, Takes } from "./pattern-tree.ts";

/** A character or a set of characters; without `point` it is no end of a range. */
export interface Member {
  readonly takes: Takes;
  readonly re2: string;
  readonly point?: number;
}

export function literally(point: number): Member {
  return { takes: (other) => other === point, re2: `\\x{${point.toString(16)}}`, point };
}

export type Character = Extract<Pattern, { type: "character" }>;

export function oneOf({ takes, re2 }: Member, { ignoreCase }: PatternFlags): Character {
  if (!ignoreCase) return { type: "character", takes, re2 };
  return {
    type: "character",
    takes: (point) => {
      const character = String.fromCodePoint(point);
      const cases = [character, character.toLowerCase(), character.toUpperCase()];
      return cases.some((one) => one.length === character.length && takes(one.codePointAt(0) ?? 0));
    },
    re2: `(?i:${re2})`,
  };
}

const newline = 0x0a;
export const anything: Pattern = { type: "character", takes: () => true, re2: "(?s:.)" };
export const anythingInLine: Pattern = { type: "character", takes: (point) => point !== newline, re2: "(?-s:.)" };

/** `\\w`, `\\d` and `\\s` of ASCII: kernels, devices and processes have no other names. */
const isDigit: Takes = (point) => point >= 0x30 && point <= 0x39;
const isSpace: Takes = (point) => point === 0x20 || (point >= 0x09 && point <= 0x0d);
const isWord: Takes = (point) =>
  isDigit(point) || (point >= 0x41 && point <= 0x5a) || point === 0x5f || (point >= 0x61 && point <= 0x7a);
export const not =
  (takes: Takes): Takes =>
  (point) =>
    !takes(point);

export const categories: Readonly<Record<string, Takes>> = {
  d: isDigit,
  D: not(isDigit),
  s: isSpace,
  S: not(isSpace),
  w: isWord,
  W: not(isWord),
};

export const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

function boundary(re2: string, holds: Holds): Pattern {
  return { type: "boundary", holds, re2, re2AtEnd: re2 };
}

export const textStart = boundary("\\A", (_, at) => at === 0);
export const lineStart = boundary("(?m:^)", (text, at) => at === 0 || text[at - 1] === newline);
export const lineEnd = boundary("(?m:$)", (text, at) => at === text.length || text[at] === newline);
/** `$` outside of multiline mode also stands before a last newline. RE2 can only take the newline. */
export const lastLineEnd: Pattern = {
  type: "boundary",
  holds: (text, at) => at === text.length || (at === text.length - 1 && text[at] === newline),
  re2AtEnd: "(?:\\n?\\z)",
};
const wordEdge: Holds = (text, at) => isWord(text[at - 1] ?? -1) !== isWord(text[at] ?? -1);

export const boundaries: Readonly<Record<string, Pattern>> = {
  A: textStart,
  Z: boundary("\\z", (text, at) => at === text.length),
  b: boundary("\\b", wordEdge),
  // Python before 3.14 finds it nowhere in an empty text.
  B: { type: "boundary", holds: (text, at) => text.length > 0 && !wordEdge(text, at) },
};
