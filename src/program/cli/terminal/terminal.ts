import { fstatSync, statSync } from "node:fs";
import { type Colours, coloursOf } from "./colours.ts";
import { writeAtOnce } from "./write-sync.ts";

/** Where a command writes: results to one place, what else there is to say to another. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Of `out`; without effect where nobody looks at it. */
  readonly colours: Colours;
}

/** What a command that asks a cluster is run with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export function processTerminal(): Terminal {
  return {
    out: (text) => writeAtOnce(1, text),
    err: (text) => writeAtOnce(2, text),
    colours: coloursOf(wantsColours(process.env, isSeen())),
  };
}

/** A stream is made only of what may be a terminal, to ask it: neither files and pipes nor where nothing is kept. */
function isSeen(): boolean {
  const out = fstatSync(1);
  if (!out.isCharacterDevice() || out.rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev) return false;
  // Typed as always a boolean, which it is not; and for undefined, colours would be guessed from the environment.
  return (process.stdout.isTTY as boolean | undefined) === true;
}

/** Pipelines whose logs show colours ask for them with `FORCE_COLOR`; who wants none at all has the last word. */
export function wantsColours(env: Readonly<Record<string, string | undefined>>, seen: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return seen && env.TERM !== "dumb";
}
