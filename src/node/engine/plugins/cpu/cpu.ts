import type { Setting } from "../../../../language/tuned/unit.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { planEnergyPerfBias, planEnergyPreference } from "./energy.ts";
import { planGovernor, planSamplingDownFactor } from "./governor.ts";
import { planForceLatency, planResumeLatency } from "./latency.ts";
import { planBoost, planPstate } from "./pstate.ts";
import { onePerTarget, skipped, unknownOptions, valueOf, wantedOf } from "../steps.ts";
import { udevProperties } from "../udev-properties.ts";

/** In TuneD's order: a governor's own files exist only while it is active. */
const perCpu = {
  governor: planGovernor,
  energy_perf_bias: planEnergyPerfBias,
  pm_qos_resume_latency_us: planResumeLatency,
  boost: planBoost,
  energy_performance_preference: planEnergyPreference,
} as const;
const ofTheNode = {
  force_latency: planForceLatency,
  min_perf_pct: planPstate,
  max_perf_pct: planPstate,
  no_turbo: planPstate,
} as const;
const loadDriven = ["load_threshold", "latency_low", "latency_high"];
const known = new Set([...Object.keys(perCpu), "sampling_down_factor", ...Object.keys(ofTheNode), ...loadDriven]);

/** `[cpu]`: governors, energy hints and latency limits. */
export const cpu: Plugin = {
  type: "cpu",

  async devices({ host }) {
    const names = await host.list("/sys/devices/system/cpu");
    return names.filter((name) => /^cpu[0-9]+$/.test(name)).toSorted((a, b) => numberOf(a) - numberOf(b));
  },

  properties: (device, observe) => udevProperties(`/sys/devices/system/cpu/${device}`, "cpu", observe),

  async plan(unit, observe, devices) {
    const steps = unknownOptions(unit, known);
    const each = async <F extends (...input: never[]) => Promise<Step[]>>(
      planners: Readonly<Record<string, F>>,
      plan: (planner: F, option: string, setting: Setting) => Promise<Step[]>,
    ): Promise<void> => {
      for (const [option, planner] of Object.entries(planners)) {
        const setting = unit.options.get(option);
        if (setting) steps.push(...(await plan(planner, option, setting)));
      }
    };

    const cpus = await onlineOf(devices, observe);
    await each(perCpu, (planner, option, setting) => planner(wantedOf(option, setting), cpus, observe));
    const factor = unit.options.get("sampling_down_factor");
    if (factor)
      steps.push(
        ...(await planSamplingDownFactor(wantedOf("sampling_down_factor", factor), cpus, observe, governorsIn(steps))),
      );

    await each(ofTheNode, async (planner, option, setting) =>
      observe.instance > 0
        ? [skipped(wantedOf(option, setting), "only the first unit of type cpu sets it", { level: "info" })]
        : planner(wantedOf(option, setting), observe),
    );
    for (const option of loadDriven) {
      const setting = unit.options.get(option);
      if (setting) steps.push(skipped(wantedOf(option, setting), "load-driven tuning is not supported"));
    }
    return onePerTarget(steps);
  },
};

function numberOf(name: string): number {
  return Number(name.slice("cpu".length));
}

/** cpu0, and a CPU without the file, cannot be switched off. */
async function onlineOf(devices: readonly string[], observe: Observe): Promise<string[]> {
  const online = await Promise.all(
    devices.map(async (device) => {
      if (device === "cpu0") return true;
      const state = await valueOf(observe, `/sys/devices/system/cpu/${device}/online`);
      return state === undefined || state === "1";
    }),
  );
  return devices.filter((_, index) => online[index]);
}

/** The planned governors, by CPU. */
function governorsIn(steps: readonly Step[]): Map<string, string> {
  return new Map(
    steps.flatMap((step) =>
      step.option === "governor" && step.device !== undefined && (step.type === "change" || step.type === "same")
        ? [[step.device, step.value] as const]
        : [],
    ),
  );
}
