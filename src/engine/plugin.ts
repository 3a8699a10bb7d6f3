import type { Host } from "../host/host.ts";
import type { Unit } from "../tuned/unit.ts";

/** Knows one type of unit: which files its options mean and what they should hold. Only looks; the engine writes. */
export interface Plugin {
  readonly type: string;
  plan(unit: Unit, observe: Observe): Promise<Step[]>;
}

export interface Observe {
  readonly host: Pick<Host, "read" | "list">;
  /** What a file held before anybody tuned it, where that is on record. */
  original(path: string): string | undefined;
}

/** What one option asks for, seen against what is there. */
export type Step = { readonly option: string; readonly from: string } & (
  | { readonly type: "write"; readonly path: string; readonly value: string; readonly before: string }
  | { readonly type: "same"; readonly path: string; readonly value: string }
  | { readonly type: "impossible"; readonly message: string }
);
