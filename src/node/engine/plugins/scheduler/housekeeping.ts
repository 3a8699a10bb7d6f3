import { cpusOf, parseCpuList } from "../../../../language/cpu/cpu-list.ts";
import { type CpuSet, difference, formatRanges, isSubset } from "../../../../language/cpu/cpu-set.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import type { Observe, Step } from "../../plugin.ts";

/** The CPUs that `isolated_cores` leaves to everything else. */
export interface Housekeeping {
  readonly cpus: CpuSet;
  /** The place of `isolated_cores`. */
  readonly from: string;
}

/** `housekeeping` is missing where no CPU is isolated. */
export async function housekeepingOf(
  { options }: Unit,
  { host }: Observe,
): Promise<{ housekeeping?: Housekeeping; steps: readonly Step[] }> {
  const setting = options.get("isolated_cores");
  if (!setting) return { steps: [] };
  // TuneD refuses these with an error, but verifies them as passed.
  const impossible = (message: string): { steps: Step[] } => ({
    steps: [{ type: "impossible", option: "isolated_cores", from: setting.from, message, verified: false }],
  });
  const isolated = parseCpuList(setting.value);
  if (isolated.type !== "cpus") return impossible(`${JSON.stringify(setting.value)} is not a list of CPUs`);
  const file = await host.read("/sys/devices/system/cpu/present");
  if (file.type !== "text") return impossible("cannot read the list of present CPUs");
  const present = cpusOf(file.text.trim());
  if (!isSubset(isolated.cpus, present))
    return impossible(
      `${JSON.stringify(setting.value)} names CPUs that the node does not have; it has ${formatRanges(present)}`,
    );
  const cpus = difference(present, isolated.cpus);
  if (cpus.length === 0) return impossible("leaves no CPU for other tasks");
  return { housekeeping: { cpus, from: setting.from }, steps: [] };
}
