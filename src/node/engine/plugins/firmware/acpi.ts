import type { Action } from "../../action.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { impossible, kernelFile, skipped, unknownOptions, valueOf, type Wanted, wantedOf } from "../steps.ts";

const option = "platform_profile";
const path = "/sys/firmware/acpi/platform_profile";
/** Since Linux 6.14: the profile of each driver. */
const drivers = "/sys/class/platform-profile";

/** `[acpi]`: the firmware's balance between power and performance, the first of `a|b` that it has. */
export const acpi: Plugin = {
  type: "acpi",
  async plan(unit, observe) {
    const steps = unknownOptions(unit, new Set([option]));
    const setting = unit.options.get(option);
    return setting ? [...steps, ...(await planProfile(wantedOf(option, setting), observe))] : steps;
  },
};

async function planProfile(wanted: Wanted, observe: Observe): Promise<Step[]> {
  const before = await valueOf(observe, path);
  if (before === undefined) return [skipped(wanted, "the firmware has no platform profiles", { level: "info" })];
  const choices = ((await valueOf(observe, `${path}_choices`)) ?? "").split(/\s+/).filter((choice) => choice !== "");
  const names = wanted.value.split("|").map((name) => name.trim());
  const value = names.find((name) => choices.includes(name));
  if (value === undefined) {
    const message = `${JSON.stringify(wanted.value)}: the firmware has only ${choices.join(", ")}`;
    return [impossible(wanted, message, { verified: false })];
  }
  const missing = names.slice(0, names.indexOf(value));
  const step = kernelFile(wanted, { path, before, value });
  return [
    ...missing.map((name) => skipped(wanted, `the firmware has no ${JSON.stringify(name)}: ${value} is used`)),
    choices.includes(before) ? step : { ...step, undo: await undoForEachDriver(observe) },
  ];
}

/** Where drivers have different profiles, the kernel reads `custom`, which it does not accept. */
async function undoForEachDriver(observe: Observe): Promise<Action[]> {
  const undo: Action[] = [];
  for (const name of await observe.host.list(drivers)) {
    const file = `${drivers}/${name}/profile`;
    const value = await valueOf(observe, file);
    if (value !== undefined) undo.push({ type: "write", path: file, value });
  }
  return undo;
}
