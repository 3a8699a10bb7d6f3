import { parseCpuList } from "../../../../language/cpu/cpu-list.ts";
import type { CpuSet } from "../../../../language/cpu/cpu-set.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import type { Plugin, Step } from "../../plugin.ts";
import { unknownOption } from "../steps.ts";
import { planIrq } from "./affinity.ts";

/** TuneD's name for the default mask of new interrupts. */
const defaultDevice = "DEFAULT";

/** `[irq]`: which CPUs handle which interrupts. Devices are `irq16` and so on, and `DEFAULT`. */
export const irq: Plugin = {
  type: "irq",

  async devices({ host }) {
    const numbers = (await host.list("/proc/irq")).filter((name) => /^[0-9]+$/.test(name)).map(Number);
    return [...numbers.toSorted((a, b) => a - b).map((number) => `irq${number}`), defaultDevice];
  },

  async plan(unit, observe, devices) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options)
      if (option !== "affinity" && option !== "mode") steps.push(unknownOption("irq", option, setting));

    const mode = modeOf(unit);
    if (mode.type === "unknown") steps.push(mode.step);
    const affinity = affinityOf(unit);
    if (affinity.type === "none") return [...steps, affinity.step];

    const { from, cpus } = affinity;
    for (const device of devices) {
      const path =
        device === defaultDevice ? "/proc/irq/default_smp_affinity" : `/proc/irq/${device.slice(3)}/smp_affinity`;
      const about = { option: "affinity", from, device };
      steps.push(await planIrq({ about, path, cpus, within: mode.type === "intersect" }, observe));
    }
    return steps;
  },
};

function modeOf({ options }: Unit): { type: "set" | "intersect" } | { type: "unknown"; step: Step } {
  const mode = options.get("mode");
  if (mode === undefined || mode.value === "set") return { type: "set" };
  if (mode.value === "intersect") return { type: "intersect" };
  const message = `is ${JSON.stringify(mode.value)}, but only set and intersect exist: set is used`;
  return { type: "unknown", step: { type: "impossible", option: "mode", from: mode.from, message, verified: false } };
}

type Affinity = { type: "cpus"; cpus: CpuSet; from: string } | { type: "none"; step: Step };

function affinityOf({ options }: Unit): Affinity {
  const { value, from } = options.get("affinity") ?? { value: "", from: "" };
  if (value.trim() === "") {
    const message = "names no CPU: interrupts are not moved";
    return { type: "none", step: { type: "skipped", level: "info", option: "affinity", from, message } };
  }
  const list = parseCpuList(value);
  if (list.type === "cpus" && list.cpus.length > 0) return { type: "cpus", cpus: list.cpus, from };
  const message = `${JSON.stringify(value)} is not a list of CPUs`;
  // TuneD ignores the unit then, and verifies it as passed.
  return { type: "none", step: { type: "impossible", option: "affinity", from, message, verified: false } };
}
