import { parseCpuList } from "../../../../language/cpu/cpu-list.ts";
import { truthDigit } from "../../../../language/tuned/value.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import type { Observe, Step } from "../../plugin.ts";
import { planIrq } from "../irq/affinity.ts";
import type { Housekeeping } from "./housekeeping.ts";

/** Moves interrupts to the CPUs that are not isolated, and sets the default for new ones. */
export async function planInterrupts(
  { options }: Unit,
  housekeeping: Housekeeping | undefined,
  observe: Observe,
): Promise<Step[]> {
  const byDefault = options.get("default_irq_smp_affinity");
  const moves = truthDigit(options.get("irq_process")?.value ?? "1") === "1";
  if (!housekeeping || !moves) {
    if (!byDefault || byDefault.value === "ignore") return [];
    const message = moves ? "has no effect without isolated_cores" : "has no effect with irq_process off";
    return [{ type: "skipped", level: "info", option: "default_irq_smp_affinity", from: byDefault.from, message }];
  }

  const steps: Step[] = [];
  const { cpus } = housekeeping;
  for (const number of await activeInterrupts(observe)) {
    const about = { option: "isolated_cores", from: housekeeping.from, device: `irq${number}` };
    steps.push(await planIrq({ about, path: `/proc/irq/${number}/smp_affinity`, cpus, within: true }, observe));
  }

  if (byDefault?.value === "ignore") return steps;
  const about = byDefault
    ? { option: "default_irq_smp_affinity", from: byDefault.from }
    : { option: "isolated_cores", from: housekeeping.from, device: "DEFAULT" };
  const explicit = byDefault && byDefault.value !== "calc" ? parseCpuList(byDefault.value) : undefined;
  if (explicit && (explicit.type !== "cpus" || explicit.cpus.length === 0)) {
    const message = `${JSON.stringify(byDefault?.value)} is neither calc nor ignore nor a list of CPUs`;
    return [...steps, { ...about, type: "impossible", message }];
  }
  const request = explicit?.type === "cpus" ? { cpus: explicit.cpus, within: false } : { cpus, within: true };
  return [...steps, await planIrq({ about, path: "/proc/irq/default_smp_affinity", ...request }, observe)];
}

/** Interrupts with a handler; /proc/irq also lists unused ones. */
async function activeInterrupts({ host }: Observe): Promise<string[]> {
  const file = await host.read("/proc/interrupts");
  if (file.type !== "text") return [];
  return file.text.split("\n").flatMap((line) => /^\s*([0-9]+):/.exec(line)?.[1] ?? []);
}
