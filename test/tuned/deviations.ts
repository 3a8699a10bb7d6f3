import { folder } from "./recorded-case.ts";

/**
 * Deviations from TuneD 2.28, with reasons; docs/tuned-quirks.md has details. Each case still runs: it must come out
 * as said here, not merely otherwise.
 */
export const deviations: Record<string, { why: string; instead: unknown }> = {
  "inc-shadow-diamond-leak": {
    why: "Q1: a shipped profile must not win over the one that hides it",
    instead: { sysctl: { k: "usr" } },
  },
  "inc-var-stale": {
    why: "Q2: nothing is left over from a profile that was loaded before",
    instead: "invalid",
  },
  "merge-script-dup-bug": {
    why: "Q4: a script must not run twice because a child says something else",
    instead: { script: { script: [`${folder}/p/base/a.sh`], foo: "1" } },
  },
  "f-empty-result-skip": {
    why: "Q7: a call must not be missed because the one before it expands to nothing",
    instead: "x",
  },
  "f-noname": { why: "Q8: no text may end the program; it stays as it is, with an error", instead: "${f}" },
  "f-calc_isolated-bad": {
    why: "Q9: the error that was meant (and that 2.20 has), not a crash",
    instead: "${f:calc_isolated_cores:x}",
  },
};
