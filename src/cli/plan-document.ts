import type { Foresight } from "../node-tuning/foresee.ts";
import type { Skipped } from "./plan-dry-run.ts";

export interface PlannedObject {
  readonly place: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly change: "create" | "change" | "none";
  readonly diff: string;
}

/** All that `attune plan` has to say. */
export interface PlanDocument extends Foresight {
  readonly objects: readonly PlannedObject[];
  readonly skipped: readonly Skipped[];
}

export function changesAnything({ objects, changes, boot }: PlanDocument): boolean {
  return changes.length > 0 || boot.length > 0 || objects.some(({ change }) => change !== "none");
}
