import type { Unit } from "../../../../language/tuned/unit.ts";
import type { Plugin, Step } from "../../plugin.ts";
import { unknownOption } from "../steps.ts";
import { isControlGroupOption, planControlGroups } from "./control-groups.ts";
import { followsTasks } from "./followed-tasks.ts";
import { type Housekeeping, housekeepingOf } from "./housekeeping.ts";
import { planInterrupts } from "./interrupts.ts";
import { isKnob, planKnob } from "./knobs.ts";
import { readRules } from "./rules.ts";
import { readScope } from "./scope.ts";
import { planTasks, type TaskRequest } from "./task-steps.ts";

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
  follows: ["resync", "devices", "processes"],
  async plan(unit, observe) {
    const occasion = observe.follow?.occasion;
    if (occasion === "processes") return planTasks(tasksOf(unit), observe);
    const steps: Step[] = [];
    for (const [option, setting] of unit.options) {
      if (isKnob(option)) steps.push(await planKnob(option, setting, observe));
      else if (!isKnown(option)) steps.push(unknownOption("scheduler", option, setting));
    }
    steps.push(...planControlGroups(unit));

    const isolation = await housekeepingOf(unit, observe);
    const { housekeeping } = isolation;
    const isApplied = occasion === undefined && observe.purpose === "apply";
    const tasks = tasksOf(unit, isApplied ? housekeeping : undefined);
    steps.push(...tasks.scope.steps, ...readRules(unit).steps, ...isolation.steps);
    if (occasion !== "devices") steps.push(...(await planTasks(tasks, observe)));
    steps.push(...(await planInterrupts(unit, housekeeping, observe)), ...reportUnsupported(unit));
    return steps;
  },
};

/**
 * Without `housekeeping`, only rules count. As in TuneD, tasks are moved off isolated CPUs when the profile is applied: a
 * program that pins itself there later does so on purpose.
 */
function tasksOf(unit: Unit, housekeeping?: Housekeeping): TaskRequest {
  return { scope: readScope(unit), rules: readRules(unit).rules, later: followsTasks(unit), housekeeping };
}

function isKnown(option: string): boolean {
  return qualifiers.has(option) || option.startsWith("group.") || isControlGroupOption(option);
}

/** TuneD learns of new tasks by perf events; the agent lists them. */
function reportUnsupported(unit: Unit): Step[] {
  const { options } = unit;
  const steps: Step[] = [];
  const rule = [...options].find(([option, { value }]) => option.startsWith("group.") && value !== "");
  if (rule && followsTasks(unit))
    steps.push({
      type: "skipped",
      level: "info",
      option: "runtime",
      from: options.get("runtime")?.from ?? rule[1].from,
      message: "tasks that start later are tuned by a running agent, within seconds",
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
