import { wantedValue } from "../../wanted-value.ts";
import type { Observe, Step } from "../../plugin.ts";
import { forEachDevice, impossible, kernelFile, skipped, valueOf, type Wanted } from "../steps.ts";

/** `governor`: the first of several that the CPU has. */
export async function planGovernor(wanted: Wanted, cpus: readonly string[], observe: Observe): Promise<Step[]> {
  const alternatives = wanted.value.split("|").map((governor) => governor.trim());
  const steps = await forEachDevice(cpus, async (device) => {
    const folder = `/sys/devices/system/cpu/${device}/cpufreq`;
    const before = await valueOf(observe, `${folder}/scaling_governor`);
    if (before === undefined) return [];
    if (alternatives.includes(""))
      return [impossible(wanted, "an empty alternative: no governor is set", { device, verified: false })];
    const available = (await valueOf(observe, `${folder}/scaling_available_governors`))?.split(/\s+/) ?? [];
    const value = alternatives.find((governor) => available.includes(governor));
    return value === undefined
      ? [skipped(wanted, `none of the governors is available: ${alternatives.join(", ")}`, { device })]
      : [kernelFile(wanted, { path: `${folder}/scaling_governor`, before, value, device })];
  });
  return steps.length > 0 ? steps : [skipped(wanted, "no CPU of this node has governors", { level: "info" })];
}

/** Only these governors have the file, and only while they are active. */
const withFactor = new Set(["ondemand", "conservative"]);

/** `sampling_down_factor`: once for each governor that will be active; `chosen` are those of this plan. */
export async function planSamplingDownFactor(
  wanted: Wanted,
  cpus: readonly string[],
  observe: Observe,
  chosen: ReadonlyMap<string, string>,
): Promise<Step[]> {
  const governors = new Map<string, string>();
  for (const device of cpus) {
    const governor =
      chosen.get(device) ?? (await valueOf(observe, `/sys/devices/system/cpu/${device}/cpufreq/scaling_governor`));
    if (governor !== undefined && !governors.has(governor) && /^\w+$/.test(governor)) governors.set(governor, device);
  }
  const steps: Step[] = [];
  for (const [governor, device] of governors) {
    const path = `/sys/devices/system/cpu/cpufreq/${governor}/sampling_down_factor`;
    const before = await valueOf(observe, path);
    if (before !== undefined) {
      const value = wantedValue(wanted.value, path, before, observe);
      steps.push(kernelFile(wanted, { path, before, value, device }));
    } else if (withFactor.has(governor) && chosen.has(device)) steps.push(toAppear(wanted, { path, device }));
  }
  return steps.length > 0 ? steps : [skipped(wanted, "no active governor has it", { level: "info" })];
}

/** The file exists only while the governor is active, so there is nothing to restore. */
function toAppear(wanted: Wanted, { path, device }: { path: string; device: string }): Step {
  const { option, from, value } = wanted;
  if (/^[<>]/.test(value)) return impossible(wanted, "there is no value to compare with yet", { device });
  const actions = [{ type: "write", path, value }] as const;
  return { type: "change", option, from, device, target: path, before: "", value, actions, undo: [] };
}
