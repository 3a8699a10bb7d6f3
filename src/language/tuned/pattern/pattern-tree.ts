/** A Python regular expression of a profile. It runs in time linear in the text, for every pattern. */
export interface PythonPattern {
  /** `re.search` */
  search(text: string): boolean;
  /** `re.match`: from the start of the text. */
  match(text: string): boolean;
  /** How many steps one character of a text may cost. */
  readonly size: number;
}

/** The tree of a regular expression, for yes or no only: groups capture nothing, greediness does not matter. */
export type Pattern =
  /** One character. `re2` is the same in RE2's syntax. */
  | { readonly type: "character"; readonly takes: Takes; readonly re2: string }
  | { readonly type: "sequence"; readonly parts: readonly Pattern[] }
  | { readonly type: "either"; readonly options: readonly Pattern[] }
  | { readonly type: "repeat"; readonly of: Pattern; readonly min: number; readonly max: number }
  /** A position between two characters: `^`, `$`, `\b`. RE2 may support it everywhere, or only at the end. */
  | { readonly type: "boundary"; readonly holds: Holds; readonly re2?: string; readonly re2AtEnd?: string }
  /** `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)` */
  | { readonly type: "look"; readonly of: Pattern; readonly ahead: boolean; readonly negative: boolean };

export interface PatternFlags {
  readonly multiline?: boolean | undefined;
  readonly dotAll?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/** `malformed`: Python refuses the pattern too. `unsupported`: it needs what a state machine cannot do. */
export class PatternError extends Error {
  readonly type: "malformed" | "unsupported";

  constructor(type: "malformed" | "unsupported", message: string) {
    super(message);
    this.type = type;
  }
}

export type Takes = (point: number) => boolean;
export type Holds = (text: readonly number[], at: number) => boolean;
