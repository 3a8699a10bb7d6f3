import { type Pattern, PatternError, type PythonPattern } from "./pattern-tree.ts";

type Instruction =
  | Extract<Pattern, { type: "character" | "boundary" }>
  /** Goes on at each of the places. */
  | { readonly type: "fork"; readonly to: readonly number[] }
  | { readonly type: "look"; readonly look: Look }
  | { readonly type: "found" };

interface Look {
  readonly program: readonly Instruction[];
  readonly ahead: boolean;
  readonly negative: boolean;
}

/** Counted repetitions are written out: `a{1000}` has two thousand instructions. */
const largestProgram = 4000;

/**
 * Runs a pattern as a set of states that moves through the text once: time grows with the length of the text times the size
 * of the pattern, whatever the pattern is. A look-around is evaluated for every position by one run of its own; a look-ahead
 * runs its reversed pattern from the end of the text.
 */
export function stateMachine(pattern: Pattern): PythonPattern {
  const compiler = new Compiler();
  const program = compiler.compile(pattern, false);
  const finds = (text: string, anywhere: boolean): boolean =>
    new Run(Array.from(text, (character) => character.codePointAt(0) ?? 0)).finds(program, anywhere);
  // A step here takes about twenty times as long as one of RE2's.
  const size = 20 * compiler.size;
  return { search: (text) => finds(text, true), match: (text) => finds(text, false), size };
}

class Compiler {
  #size = 0;

  get size(): number {
    return this.#size;
  }

  compile(pattern: Pattern, backward: boolean): Instruction[] {
    const program: Instruction[] = [];
    this.#emit(pattern, backward, program);
    program.push({ type: "found" });
    return program;
  }

  #add(program: Instruction[], instruction: Instruction): void {
    if (++this.#size > largestProgram)
      throw new PatternError("unsupported", "the pattern is too large with its repetitions written out");
    program.push(instruction);
  }

  /** A fork whose places are filled in as they become known. */
  #fork(program: Instruction[], ...to: number[]): number[] {
    this.#add(program, { type: "fork", to });
    return to;
  }

  #emit(pattern: Pattern, backward: boolean, program: Instruction[]): void {
    switch (pattern.type) {
      case "character":
      case "boundary":
        return this.#add(program, pattern);
      case "look": {
        const { of, ahead, negative } = pattern;
        return this.#add(program, { type: "look", look: { program: this.compile(of, ahead), ahead, negative } });
      }
      case "sequence":
        for (const part of backward ? pattern.parts.toReversed() : pattern.parts) this.#emit(part, backward, program);
        return;
      case "either": {
        const options = this.#fork(program);
        const ends = pattern.options.map((option) => {
          options.push(program.length);
          this.#emit(option, backward, program);
          return this.#fork(program);
        });
        for (const end of ends) end.push(program.length);
        return;
      }
      case "repeat": {
        const { of, min, max } = pattern;
        for (let i = 0; i < min; i++) {
          // An empty pattern repeated a billion times costs something, too.
          this.#fork(program, program.length + 1);
          this.#emit(of, backward, program);
        }
        const exits: number[][] = [];
        const again = program.length;
        for (let i = min; i < (Number.isFinite(max) ? max : min + 1); i++) {
          exits.push(this.#fork(program, program.length + 1));
          this.#emit(of, backward, program);
        }
        if (!Number.isFinite(max)) this.#fork(program, again);
        for (const exit of exits) exit.push(program.length);
      }
    }
  }
}

/** One text, and the positions at which its look-arounds hold. */
class Run {
  readonly #text: readonly number[];
  readonly #seen = new Map<Look, Uint8Array>();

  constructor(text: readonly number[]) {
    this.#text = text;
  }

  finds(program: readonly Instruction[], anywhere: boolean): boolean {
    let found = false;
    this.#move(program, { backward: false, anywhere }, () => (found = true));
    return found;
  }

  /** Moves through the text and reports the positions at which the pattern has been found, until told to stop. */
  #move(
    program: readonly Instruction[],
    { backward, anywhere }: { backward: boolean; anywhere: boolean },
    found: (at: number) => boolean,
  ): void {
    const text = this.#text;
    const entered = new Int32Array(program.length).fill(-1);
    let states: number[] = [];
    for (let moved = 0; moved <= text.length; moved++) {
      const at = backward ? text.length - moved : moved;
      if (anywhere || moved === 0) states.push(0);
      const next: number[] = [];
      for (let state = states.pop(); state !== undefined; state = states.pop()) {
        if (entered[state] === moved) continue;
        entered[state] = moved;
        const instruction = program[state];
        if (!instruction) continue;
        if (instruction.type === "fork") states.push(...instruction.to);
        else if (instruction.type === "boundary") {
          if (instruction.holds(text, at)) states.push(state + 1);
        } else if (instruction.type === "look") {
          if (this.#looks(instruction.look, at)) states.push(state + 1);
        } else if (instruction.type === "found") {
          if (found(at)) return;
        } else {
          const point = text[backward ? at - 1 : at];
          if (point !== undefined && instruction.takes(point)) next.push(state + 1);
        }
      }
      if (next.length === 0 && !anywhere) return;
      states = next;
    }
  }

  #looks(look: Look, at: number): boolean {
    let seen = this.#seen.get(look);
    if (!seen) {
      const positions = new Uint8Array(this.#text.length + 1);
      this.#move(look.program, { backward: look.ahead, anywhere: true }, (position) => {
        positions[position] = 1;
        return false;
      });
      seen = positions;
      this.#seen.set(look, seen);
    }
    return (seen[at] === 1) !== look.negative;
  }
}
