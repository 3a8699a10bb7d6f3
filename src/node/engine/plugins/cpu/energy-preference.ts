import { parseInteger } from "../../../../language/cpu/integer.ts";
import type { Observe, Step } from "../../plugin.ts";
import { forEachDevice, impossible, kernelFile, skipped, valueOf, type Wanted } from "../device-steps.ts";

/** `energy_performance_preference`: the first of several that the CPU offers; numbers up to 255 always are. */
export async function planEnergyPreference(wanted: Wanted, cpus: readonly string[], observe: Observe): Promise<Step[]> {
  const steps = await forEachDevice(cpus, async (device) => {
    const policy = `/sys/devices/system/cpu/cpufreq/policy${device.slice("cpu".length)}`;
    const available = await valueOf(observe, `${policy}/energy_performance_available_preferences`);
    const path = `${policy}/energy_performance_preference`;
    const before = await valueOf(observe, path);
    if (available === undefined || before === undefined) return [];
    const alternatives = wanted.value.split("|");
    // When comparing, TuneD takes any of them for good.
    if (observe.purpose === "verify" && alternatives.some((alternative) => alternative.trim() === before))
      return [kernelFile(wanted, { path, before, value: before, device })];
    const offered = available.split(/\s+/);
    const findings: Step[] = [];
    for (const alternative of alternatives) {
      const value = preferenceOf(alternative, offered);
      if (value !== undefined) return [...findings, kernelFile(wanted, { path, before, value, device })];
      findings.push(skipped(wanted, `${JSON.stringify(alternative)} is not offered`, { device }));
    }
    return [...findings, impossible(wanted, `none of ${JSON.stringify(wanted.value)} is offered`, { device })];
  });
  return steps.length > 0 ? steps : [skipped(wanted, "no CPU here takes a preference", { level: "info" })];
}

function preferenceOf(text: string, offered: readonly string[]): string | undefined {
  const number = parseInteger(text);
  if (number === undefined) return offered.includes(text) ? text : undefined;
  return number >= 0n && number < 256n ? `${number}` : undefined;
}
