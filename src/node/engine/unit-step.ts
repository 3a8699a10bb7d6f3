import type { About } from "./engine.ts";
import type { Claim } from "./ledger.ts";
import type { Step } from "./plugin.ts";

/** What a plug-in planned for one option of a unit. */
export type UnitStep = Step & {
  readonly unit: string;
  /** The name that the plug-in gave the target, where that is a link to it. */
  readonly alias?: string;
};

export type ChangeStep = Extract<UnitStep, { type: "change" | "same" }>;

export function isChange(step: UnitStep): step is ChangeStep {
  return step.type === "change" || step.type === "same";
}

/** Whether its actions run. A setting that already has its value is skipped, unless `always` is set. */
export function isCarriedOut({ type, always }: ChangeStep): boolean {
  return type === "change" || always === true;
}

/** Names the setting in a report. */
export function aboutOf({ unit, option, from, device }: UnitStep): About {
  return { unit, option, from, ...(device === undefined ? {} : { device }) };
}

/** What the ledger keeps of the step. */
export function claimOf(step: ChangeStep, owner: string): Claim {
  const { unit, option, from, value, actions, undo, undoesValue = false } = step;
  const made = isCarriedOut(step);
  return { owner, from: `[${unit}] ${option} (${from})`, value, actions, made, ...(undoesValue ? { undo } : {}) };
}
