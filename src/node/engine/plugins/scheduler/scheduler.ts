import { truthDigit } from "../../../../language/tuned/value.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import type { Plugin, Step } from "../../plugin.ts";
import { unknownOption } from "../steps.ts";
import { isControlGroupOption, planControlGroups } from "./control-groups.ts";
import { housekeepingOf } from "./housekeeping.ts";
import { planInterrupts } from "./interrupts.ts";
import { isKnob, planKnob } from "./knobs.ts";
import { readRules } from "./rules.ts";
import { readScope } from "./scope.ts";
import { planTasks } from "./task-steps.ts";

/** Options that qualify others. */
const qualifiers = new Set([
  "isolated_cores",
  "ps_whitelist",
  "ps_blacklist",
  "cgroup_ps_blacklist",
  "kthread_process",
  "irq_process",
  "default_irq_smp_affinity",
  "runtime",
  "perf_mmap_pages",
  "perf_process_fork",
]);

/** `[scheduler]`: CPUs and policies of tasks, interrupts of isolated CPUs, and knobs of the kernel's scheduler. */
export const scheduler: Plugin = {
  type: "scheduler",
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options) {
      if (isKnob(option)) steps.push(await planKnob(option, setting, observe));
      else if (!isKnown(option)) steps.push(unknownOption("scheduler", option, setting));
    }
    steps.push(...planControlGroups(unit));

    const scope = readScope(unit);
    const rules = readRules(unit);
    const isolation = await housekeepingOf(unit, observe);
    const { housekeeping } = isolation;
    steps.push(...scope.steps, ...rules.steps, ...isolation.steps);
    steps.push(...(await planTasks({ scope, rules: rules.rules, housekeeping }, observe)));
    steps.push(...(await planInterrupts(unit, housekeeping, observe)), ...reportUnsupported(unit));
    return steps;
  },
};

function isKnown(option: string): boolean {
  return qualifiers.has(option) || option.startsWith("group.") || isControlGroupOption(option);
}

/** TuneD tunes tasks as they start, by perf events; the native engine does not. */
function reportUnsupported({ options }: Unit): Step[] {
  const steps: Step[] = [];
  const rule = [...options].find(([option, { value }]) => option.startsWith("group.") && value !== "");
  const runtime = options.get("runtime");
  if (rule && truthDigit(runtime?.value ?? "1") !== "0")
    steps.push({
      type: "skipped",
      level: "info",
      option: "runtime",
      from: runtime?.from ?? rule[1].from,
      message: "tasks that start later are tuned when the profile is applied again, not as they start",
    });
  for (const option of ["perf_mmap_pages", "perf_process_fork"]) {
    const setting = options.get(option);
    if (setting && setting.value.toLowerCase() !== "false")
      steps.push({
        type: "skipped",
        level: "info",
        option,
        from: setting.from,
        message: "has no effect: perf events are not used",
      });
  }
  return steps;
}
