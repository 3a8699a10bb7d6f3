import { formatMask, parseMask } from "../../../../language/cpu/cpu-mask.ts";
import { type CpuSet, intersection } from "../../../../language/cpu/cpu-set.ts";
import type { Observe, Step } from "../../plugin.ts";

export interface IrqRequest {
  readonly about: { readonly option: string; readonly from: string; readonly device?: string };
  /** `/proc/irq/16/smp_affinity` or the like. */
  readonly path: string;
  /** The CPUs it should have, given those that it has without us. */
  readonly wanted: (has: CpuSet) => CpuSet;
}

/** Interrupts of which the kernel itself decides where they are handled: older kernels say EIO, newer ones EPERM. */
const fixedByKernel = ["EIO", "EPERM"];

const fixed = "the kernel does not let it be moved";

/** What is to be done about the CPUs that may handle one interrupt, or by default a new one. */
export async function planIrq({ about, path, wanted }: IrqRequest, observe: Observe): Promise<Step> {
  const file = await observe.host.read(path);
  if (file.type === "missing") return { ...about, type: "skipped", level: "info", message: `there is no ${path}` };
  if (file.type === "failed") return { ...about, type: "impossible", message: `cannot read ${path}: ${file.message}` };
  const has = parseMask(file.text);
  if (has.type !== "cpus")
    return { ...about, type: "impossible", message: `cannot read ${path}: ${JSON.stringify(file.text)} is no mask` };

  const before = formatMask(has.cpus);
  // It stays on record as it is: otherwise it would be tried again each time.
  if (observe.refused?.(path))
    return { ...about, type: "same", target: path, before, value: before, actions: [], undo: [], note: fixed };
  const base = parseMask(withoutUs(observe, path, before));
  const value = formatMask(wanted(base.type === "cpus" ? base.cpus : has.cpus));
  return {
    ...about,
    type: value === before ? "same" : "change",
    target: path,
    before,
    value,
    actions: [{ type: "write", path, value, tolerate: fixedByKernel }],
    undo: [{ type: "write", path, value: before, tolerate: [...fixedByKernel, "ENOENT"] }],
  };
}

/** Those of the CPUs that are allowed; where none is, all that are allowed. */
export function within(allowed: CpuSet): (has: CpuSet) => CpuSet {
  return (has) => {
    const kept = intersection(has, allowed);
    return kept.length > 0 ? kept : allowed;
  };
}

/**
 * What a target holds apart from our own doing: the original, if it holds what we last made of it. What somebody else
 * has set since then is theirs, and counts as it is.
 */
export function withoutUs(observe: Observe, target: string, current: string): string {
  return observe.applied?.(target) === current ? (observe.original(target) ?? current) : current;
}
