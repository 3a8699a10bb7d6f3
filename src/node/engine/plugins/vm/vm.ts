import type { Setting } from "../../../../language/tuned/unit.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { unknownOption } from "../steps.ts";
import { planDirty } from "./dirty.ts";
import { planDefrag, planHugePages } from "./huge-pages.ts";

type Planner = (option: string, setting: Setting, observe: Observe) => Promise<Step[]>;

/** In TuneD's order. */
const planners: Readonly<Record<string, Planner>> = {
  transparent_hugepages: planHugePages,
  transparent_hugepage: planHugePages,
  "transparent_hugepage.defrag": planDefrag,
  dirty_bytes: planDirty,
  dirty_ratio: planDirty,
  dirty_background_bytes: planDirty,
  dirty_background_ratio: planDirty,
};

/** `[vm]`: transparent huge pages, and limits of dirty memory. */
export const vm: Plugin = {
  type: "vm",
  async plan({ options }, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of options)
      if (!Object.hasOwn(planners, option)) steps.push(unknownOption("vm", option, setting));
    for (const [bytes, ratio] of [
      ["dirty_bytes", "dirty_ratio"],
      ["dirty_background_bytes", "dirty_background_ratio"],
    ] as const) {
      const both = options.has(bytes) ? options.get(ratio) : undefined;
      if (both)
        steps.push({
          type: "skipped",
          option: ratio,
          from: both.from,
          message: `sets the same limit as ${bytes}: use one of them`,
        });
    }
    for (const [option, planner] of Object.entries(planners)) {
      const setting = options.get(option);
      if (setting) steps.push(...(await planner(option, setting, observe)));
    }
    return steps;
  },
};
