import type { Observation } from "./fixture.ts";

export interface Deviation {
  /** What Attune has instead. */
  readonly instead: Partial<Observation>;
  readonly why: string;
}

/** Where Attune decides otherwise, by `case` or `case/step`, steps counted from one. Told in docs/node-tuning-parity.md. */
export const deviations: Readonly<Record<string, Deviation>> = {};
