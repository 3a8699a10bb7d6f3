import { truthDigit } from "../../../../language/tuned/value.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import type { Step } from "../../plugin.ts";

/** Options for control groups of version 1, which current nodes do not have. */
const options = new Set([
  "cgroup_mount_point",
  "cgroup_mount_point_init",
  "cgroup_groups_init",
  "cgroup_for_isolated_cores",
]);

const why = "needs control groups of version 1, which only the TuneD daemon sets up";

export function isControlGroupOption(option: string): boolean {
  return option.startsWith("cgroup.") || options.has(option);
}

export function planControlGroups(unit: Unit): Step[] {
  const steps: Step[] = [];
  for (const [option, { value, from }] of unit.options) {
    if (option === "cgroup_mount_point" || option === "cgroup_groups_init") {
      steps.push({ type: "skipped", level: "info", option, from, message: `has no effect: ${why}` });
    } else if (option.startsWith("cgroup.") || (options.has(option) && !isNo(value))) {
      steps.push({ type: "impossible", option, from, message: why });
    }
  }
  return steps;
}

function isNo(value: string): boolean {
  return value === "" || truthDigit(value) === "0";
}
