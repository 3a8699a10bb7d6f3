import type { Host } from "../../../host/host.ts";
import { truthDigit } from "../../../../language/tuned/value.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import { readRules } from "./rules.ts";
import { readProcess } from "./tasks.ts";

/** Whether rules of the unit are for tasks that start later, too. */
export function followsTasks({ options }: Unit): boolean {
  return truthDigit(options.get("runtime")?.value ?? "1") !== "0";
}

/** Whether a new process matches a rule of a profile; `undefined` for a profile without rules for new processes. */
export function taskFilter(units: readonly Unit[]): ((pid: number, host: Host) => Promise<boolean>) | undefined {
  const rules = units
    .filter((unit) => unit.type === "scheduler" && unit.enabled && unit.unmet === undefined && followsTasks(unit))
    .flatMap((unit) => readRules(unit).rules);
  if (rules.length === 0) return undefined;
  return async (pid, host) => {
    const process = await readProcess(host, pid, { commands: true, controlGroups: false });
    return process !== undefined && rules.some(({ pattern }) => pattern.search(process.command));
  };
}
