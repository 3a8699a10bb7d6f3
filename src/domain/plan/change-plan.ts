import type { Foresight } from "../../../domain/plan/preview.ts";
import type { Restarts } from "../../../domain/plan/boot-changes.ts";
import type { Skipped } from "./dry-run.ts";

export interface PlannedObject {
  /** A file, or the object that it is derived from. */
  readonly place: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly change: "create" | "change" | "none";
  readonly diff: string;
}

/** Files, units or kubelets of pools that change, and the machines that restart for it. */
export interface ConfigurationChange extends Restarts {
  readonly objects: readonly Pick<PlannedObject, "kind" | "name" | "change">[];
}

/** All that `attune plan` has to say. */
export interface PlanDocument extends Foresight {
  readonly objects: readonly PlannedObject[];
  readonly configurations: readonly ConfigurationChange[];
  readonly skipped: readonly Skipped[];
}

export function changesAnything({ objects, changes, boot }: PlanDocument): boolean {
  return changes.length > 0 || boot.length > 0 || objects.some(({ change }) => change !== "none");
}
