import type { PerftuneAction } from "../../domain/scylla/perftune/action.ts";
import type { PerftuneStep } from "../../domain/scylla/perftune/plan.ts";
import type { Action } from "../engine/action.ts";
import type { UnitStep } from "../engine/unit-step.ts";
import { type Planning, planBackup, planBans, planNtuple, planWrite } from "./plan-steps.ts";

/** An action of a plan as steps of the engine: the last one is the action itself. */
export interface ActionSteps {
  readonly action: PerftuneAction;
  readonly steps: readonly UnitStep[];
}

export type PlannedAction = ActionSteps | Extract<PerftuneStep, { type: "note" }>;

/** The actions of a plan against what the host has now. A program makes the change before it effective, and belongs to it. */
export async function planActions(steps: readonly PerftuneStep[], planning: Planning): Promise<PlannedAction[]> {
  const planned: PlannedAction[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.type === "note") planned.push(step);
    else planned.push({ action: step, steps: await stepsOf(step, effectAfter(steps, index), planning) });
  }
  return planned;
}

async function stepsOf(action: PerftuneAction, effect: readonly Action[], planning: Planning): Promise<UnitStep[]> {
  switch (action.type) {
    case "write":
      return [await planWrite(action, planning)];
    case "set-ntuple":
      return [await planNtuple(action, planning)];
    case "ban-irqs":
      return [...(await planBackup(action, planning)), await planBans(action, effect, planning)];
    // Part of the change before it; the number of queues is the other phase of a run.
    case "run":
    case "set-channels":
      return [];
    default:
      return action satisfies never;
  }
}

function effectAfter(steps: readonly PerftuneStep[], index: number): Action[] {
  const next = steps.slice(index + 1).find(({ type }) => type !== "note");
  if (next?.type !== "run") return [];
  // systemctl exits with 5 where there is no such service: then there is nothing to restart.
  return [{ type: "run", argv: next.argv, ...(next.argv[0] === "systemctl" ? { tolerate: [5] } : {}) }];
}
