import { cpusOf, parseCpuList } from "../../../../language/cpu/cpu-list.ts";
import { formatRanges, formatUnpacked, isSubset } from "../../../../language/cpu/cpu-set.ts";
import type { Setting } from "../../../../language/tuned/unit.ts";
import type { Action } from "../../action.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { systemctl } from "../systemctl.ts";
import { linesOf } from "../../text-after.ts";
import { unknownOption } from "../steps.ts";

/** Red Hat's file, then Debian's. */
const files = ["/etc/sysconfig/irqbalance", "/etc/default/irqbalance"];

const key = "IRQBALANCE_BANNED_CPULIST";

/** systemctl exits with 5 where there is no such service: then there is nothing to restart. */
const restart: Action = { ...systemctl("try-restart", "irqbalance"), tolerate: [5] };

/** `[irqbalance]`: CPUs on which the irqbalance service puts no interrupts. */
export const irqbalance: Plugin = {
  type: "irqbalance",
  async plan(unit, observe) {
    const steps: Step[] = [];
    for (const [option, setting] of unit.options)
      steps.push(
        option === "banned_cpus" ? await planBanned(setting, observe) : unknownOption("irqbalance", option, setting),
      );
    return steps;
  },
};

async function planBanned({ value, from }: Setting, { host }: Observe): Promise<Step> {
  const about = { option: "banned_cpus", from };
  // TuneD refuses these with an error, but verifies them as passed.
  const impossible = (message: string): Step => ({ ...about, type: "impossible", message, verified: false });

  const list = parseCpuList(value);
  if (list.type !== "cpus") return impossible(`${JSON.stringify(value)} is not a list of CPUs`);
  const file = await host.read("/sys/devices/system/cpu/present");
  if (file.type !== "text") return impossible("cannot read the list of present CPUs");
  const present = cpusOf(file.text.trim());
  if (!isSubset(list.cpus, present))
    return impossible(
      `${JSON.stringify(value)} names CPUs that the node does not have; it has ${formatUnpacked(present)}`,
    );

  for (const path of files) {
    const settings = await host.read(path);
    if (settings.type === "missing") continue;
    if (settings.type === "failed") return impossible(`cannot read ${path}: ${settings.message}`);
    const before = linesOf(key, settings.text);
    const value = `${key}=${formatRanges(list.cpus)}`;
    const set = (lines: readonly string[]): Action => ({ type: "edit", path, edit: { kind: "lines", key, lines } });
    const undo = [set(before), restart];
    return {
      ...about,
      type: before.length === 1 && before[0] === value ? "same" : "change",
      target: path,
      before: before.map((line) => line.trim()).join("; ") || `no ${key}`,
      value,
      actions: [set([value]), restart],
      undo,
      undoAtShutdown: undo,
      lasts: "persistent",
      verified: false,
    };
  }
  return { ...about, type: "skipped", message: `there is no ${files[0]}: irqbalance is not installed` };
}
