import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Observation } from "./fixture.ts";

export interface Deviation {
  readonly why: string;
  /** What Attune has instead. */
  readonly instead: Partial<Observation>;
}

export const deviations = parse(readFileSync(join(import.meta.dirname, "deviations.yaml"), "utf8")) as Readonly<
  Record<string, Deviation>
>;
