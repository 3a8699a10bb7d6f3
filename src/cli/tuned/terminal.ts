import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/** Where a command writes: results to one place, what else there is to say to another. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Of `out`; without effect where nobody looks at it. */
  readonly colours: Colours;
}

/** What a command that asks a cluster is run with. */
export interface Around {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // Whoever reads may have seen enough: `attune tuned list | head`.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // Typed as always a boolean, which it is not; and for undefined, colours would be guessed from the environment.
  const seen = stdout.isTTY as boolean | undefined;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    colours: pc.createColors(wantsColours(env, seen === true)),
  };
}

/** Pipelines whose logs show colours ask for them with `FORCE_COLOR`; who wants none at all has the last word. */
export function wantsColours(env: Readonly<Record<string, string | undefined>>, seen: boolean): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return seen && env.TERM !== "dumb";
}
