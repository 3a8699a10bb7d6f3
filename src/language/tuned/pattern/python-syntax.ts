import {
  anything,
  anythingInLine,
  boundaries,
  categories,
  controls,
  lastLineEnd,
  lineEnd,
  lineStart,
  literally,
  not,
  oneOf,
  textStart,
  type Member,
} from "./characters.ts";
import { type Pattern, type PatternFlags, PatternError } from "./pattern-tree.ts";

const malformed = (message: string): PatternError => new PatternError("malformed", message);
const unsupported = (message: string): PatternError => new PatternError("unsupported", message);

/** Python nests to its recursion limit; profiles need a handful. */
const deepest = 100;

export function parsePython(source: string, flags: PatternFlags): Pattern {
  return new Parser(source).parse(flags);
}

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  #names = new Set<string>();

  constructor(source: string) {
    this.#source = source;
  }

  parse(given: PatternFlags): Pattern {
    let flags = given;
    for (let global = this.#globalFlags(flags); global; global = this.#globalFlags(flags)) flags = global;
    const pattern = this.#alternatives(flags);
    if (this.#at < this.#source.length) throw malformed("unbalanced parenthesis");
    return pattern;
  }

  get #rest(): string {
    return this.#source.slice(this.#at, this.#at + 100);
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** `(?im)`, which Python allows only at the start. */
  #globalFlags(flags: PatternFlags): PatternFlags | undefined {
    const found = /^\(\?([aiLmsux]+)\)/.exec(this.#rest);
    if (!found) return undefined;
    this.#at += found[0].length;
    return withFlags(flags, found[1] ?? "", "");
  }

  #alternatives(flags: PatternFlags): Pattern {
    const options = [this.#sequence(flags)];
    while (this.#take("|")) options.push(this.#sequence(flags));
    return options.length === 1 && options[0] ? options[0] : { type: "either", options };
  }

  #sequence(flags: PatternFlags): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !/^[|)]/.test(this.#rest)) {
      const part = this.#atom(flags);
      if (part) parts.push(this.#repeated(part));
    }
    return { type: "sequence", parts };
  }

  /** The part with the repetition behind it. */
  #repeated(part: Pattern): Pattern {
    const count = this.#repetition();
    if (!count) return part;
    if (part.type === "boundary") throw malformed("nothing to repeat");
    if (this.#take("+")) throw unsupported("a possessive repetition is not supported");
    // Whether a repetition is greedy changes what it captures, not whether it matches.
    this.#take("?");
    if (this.#repetition()) throw malformed("multiple repeat");
    return { type: "repeat", of: part, ...count };
  }

  #repetition(): { min: number; max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take("?")) return { min: 0, max: 1 };
    // A brace that holds no count is a character.
    const found = /^\{([0-9]*)(,?)([0-9]*)\}/.exec(this.#rest);
    if (!found || (found[1] === "" && found[2] === "")) return undefined;
    this.#at += found[0].length;
    const [, low = "", comma = "", high = ""] = found;
    const min = Number(low);
    const max = comma === "" ? min : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    if (max < min) throw malformed("min repeat greater than max repeat");
    return { min, max };
  }

  /** Nothing for a comment. */
  #atom(flags: PatternFlags): Pattern | undefined {
    const point = this.#source.codePointAt(this.#at) ?? 0;
    const character = String.fromCodePoint(point);
    if (/^[*+?]/.test(character) || /^\{([0-9]+,?[0-9]*|,[0-9]*)\}/.test(this.#rest))
      throw malformed("nothing to repeat");
    if (this.#rest.startsWith("(?")) return this.#extension(flags);
    if (this.#take("(")) return this.#group(flags);
    if (this.#take("[")) return this.#set(flags);
    if (character === "\\") return this.#escape(flags);
    this.#at += character.length;
    if (character === "^") return flags.multiline ? lineStart : textStart;
    if (character === "$") return flags.multiline ? lineEnd : lastLineEnd;
    if (character === ".") return flags.dotAll ? anything : anythingInLine;
    return oneOf(literally(point), flags);
  }

  /** Up to the closing parenthesis; the opening one has been read. */
  #group(flags: PatternFlags): Pattern {
    if (++this.#depth > deepest) throw unsupported(`more than ${deepest} nested groups`);
    const inner = this.#alternatives(flags);
    if (!this.#take(")")) throw malformed("missing ), unterminated subpattern");
    this.#depth--;
    return inner;
  }

  /** `(?…` */
  #extension(flags: PatternFlags): Pattern | undefined {
    if (this.#take("(?#")) {
      const close = this.#source.indexOf(")", this.#at);
      if (close < 0) throw malformed("missing ), unterminated comment");
      this.#at = close + 1;
      return undefined;
    }
    const look = /^\(\?(<?)([=!])/.exec(this.#rest);
    if (look) return this.#look(look[0].length, look[1] === "", look[2] === "!", flags);
    const name = /^\(\?P<([^>]*)>/.exec(this.#rest);
    if (name) {
      this.#named(name[1] ?? "");
      this.#at += name[0].length;
      return this.#group(flags);
    }
    if (this.#rest.startsWith("(?P=")) throw unsupported("a reference to an earlier group is not supported");
    if (this.#rest.startsWith("(?>")) throw unsupported("an atomic group is not supported");
    if (this.#rest.startsWith("(?(")) throw unsupported("a conditional part is not supported");
    const scoped = /^\(\?([aiLmsux]*)(?:-([imsx]+))?([:)])/.exec(this.#rest);
    if (!scoped) throw malformed("unknown extension (?");
    const [whole, on = "", off = "", end] = scoped;
    if (end === ")") throw malformed("global flags not at the start of the expression");
    this.#at += whole.length;
    return this.#group(withFlags(flags, on, off));
  }

  #look(length: number, ahead: boolean, negative: boolean, flags: PatternFlags): Pattern {
    this.#at += length;
    const of = this.#group(flags);
    if (!ahead && widthOf(of) === undefined) throw malformed("look-behind requires fixed-width pattern");
    return { type: "look", of, ahead, negative };
  }

  #named(name: string): void {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw malformed(`bad character in group name ${JSON.stringify(name)}`);
    if (this.#names.has(name)) throw malformed(`redefinition of group name ${JSON.stringify(name)}`);
    this.#names.add(name);
  }

  #escape(flags: PatternFlags): Pattern {
    const next = this.#source.charAt(this.#at + 1);
    const boundary = boundaries[next];
    if (boundary) {
      this.#at += 2;
      return boundary;
    }
    if (/[1-9]/.test(next) && !/^\\[0-3][0-7]{2}/.test(this.#rest))
      throw unsupported("a reference to an earlier group is not supported");
    return oneOf(this.#escaped(), flags);
  }

  /** `[…]`; the opening bracket has been read. */
  #set(flags: PatternFlags): Pattern {
    const negative = this.#take("^");
    const members: Member[] = [];
    // A `]` that comes first is a member.
    do members.push(this.#range());
    while (!this.#take("]"));
    const set = oneOf(
      {
        takes: (point) => members.some(({ takes }) => takes(point)),
        re2: `[${negative ? "^" : ""}${members.map(({ re2 }) => re2).join("")}]`,
      },
      flags,
    );
    return negative ? { ...set, takes: not(set.takes) } : set;
  }

  /** `a`, `a-z` or `\\d`. */
  #range(): Member {
    const low = this.#member();
    if (!/^-[^\]]/.test(this.#rest)) return low;
    this.#at++;
    const high = this.#member();
    if (low.point === undefined || high.point === undefined || high.point < low.point)
      throw malformed("bad character range");
    const [from, to] = [low.point, high.point];
    return { takes: (point) => point >= from && point <= to, re2: `${low.re2}-${high.re2}` };
  }

  #member(): Member {
    const point = this.#source.codePointAt(this.#at);
    if (point === undefined) throw malformed("unterminated character set");
    if (this.#source[this.#at] === "\\") return this.#escaped(true);
    this.#at += String.fromCodePoint(point).length;
    return literally(point);
  }

  /** What a backslash makes of the characters behind it, in a set or outside. */
  #escaped(inSet = false): Member {
    const rest = this.#rest;
    const next = rest.charAt(1);
    if (next === "") throw malformed("bad escape (end of pattern)");
    const number =
      /^\\(?:x(?<hex>[0-9a-f]{2})|u(?<hex4>[0-9a-f]{4})|U(?<hex8>[0-9a-f]{8}))/i.exec(rest) ??
      /^\\(?<octal>0[0-7]{0,2}|[0-3][0-7]{2})/.exec(rest);
    if (number) {
      this.#at += number[0].length;
      const { octal, hex = octal, hex4 = hex, hex8 = hex4 } = number.groups ?? {};
      const point = Number.parseInt(hex8 ?? "0", octal === undefined ? 16 : 8);
      if (point > 0x10ffff) throw malformed("bad escape");
      return literally(point);
    }
    const literal = String.fromCodePoint(rest.codePointAt(1) ?? 0);
    this.#at += 1 + literal.length;
    const category = categories[next];
    if (category) return { takes: category, re2: `\\${next}` };
    const control = inSet && next === "b" ? 8 : controls[next];
    if (control === undefined && /[a-zA-Z0-9]/.test(next)) throw malformed(`bad escape \\${next}`);
    const point = control ?? literal.codePointAt(0) ?? 0;
    return literally(point);
  }
}

function withFlags(flags: PatternFlags, on: string, off: string): PatternFlags {
  if (`${on}${off}`.includes("x")) throw unsupported("verbose mode is not supported");
  const flag = (letter: string, before?: boolean): boolean | undefined =>
    on.includes(letter) ? true : off.includes(letter) ? false : before;
  return {
    multiline: flag("m", flags.multiline),
    dotAll: flag("s", flags.dotAll),
    ignoreCase: flag("i", flags.ignoreCase),
  };
}

/** How many characters a pattern takes, if that is always the same number. */
function widthOf(pattern: Pattern): number | undefined {
  switch (pattern.type) {
    case "character":
      return 1;
    case "boundary":
    case "look":
      return 0;
    case "sequence":
      return pattern.parts.map(widthOf).reduce((a, b) => (a === undefined || b === undefined ? undefined : a + b), 0);
    case "either": {
      const widths = new Set(pattern.options.map(widthOf));
      return widths.size === 1 ? [...widths][0] : undefined;
    }
    case "repeat": {
      const width = widthOf(pattern.of);
      if (width === undefined) return undefined;
      return pattern.min === pattern.max || width === 0 ? width * pattern.min : undefined;
    }
  }
}
