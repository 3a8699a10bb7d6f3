import { formatMask, parseMask } from "../../../../language/cpu/cpu-mask.ts";
import { type CpuSet, intersection } from "../../../../language/cpu/cpu-set.ts";
import type { Observe, Step } from "../../plugin.ts";

export interface IrqRequest {
  readonly about: { readonly option: string; readonly from: string; readonly device?: string };
  /** `/proc/irq/16/smp_affinity` or the like. */
  readonly path: string;
  /** The CPUs that it gets, or with `within` some of them. */
  readonly cpus: CpuSet;
  /** It keeps the CPUs it has without Attune where they are among `cpus`. */
  readonly within: boolean;
}

/** Error codes for interrupts whose CPUs the kernel manages: EIO in older kernels, EPERM in newer ones. */
const fixedByKernel = ["EIO", "EPERM"];

const fixed = "the kernel manages its CPUs";

/** Plans the CPUs of one interrupt, or of new interrupts by default. */
export async function planIrq({ about, path, cpus, within: some }: IrqRequest, observe: Observe): Promise<Step> {
  const file = await observe.host.read(path);
  if (file.type === "missing") return { ...about, type: "skipped", level: "info", message: `there is no ${path}` };
  if (file.type === "failed") return { ...about, type: "impossible", message: `cannot read ${path}: ${file.message}` };
  const has = parseMask(file.text);
  if (has.type !== "cpus")
    return { ...about, type: "impossible", message: `cannot read ${path}: ${JSON.stringify(file.text)} is not a mask` };

  const before = formatMask(has.cpus);
  // The refusal stays in the ledger, so that each apply does not try again.
  if (observe.refused?.(path))
    return { ...about, type: "same", target: path, before, value: before, actions: [], undo: [], note: fixed };
  const base = parseMask(withoutUs(observe, path, before));
  const value = formatMask(some ? within(cpus)(base.type === "cpus" ? base.cpus : has.cpus) : cpus);
  return {
    ...about,
    type: value === before ? "same" : "change",
    target: path,
    before,
    value,
    actions: [{ type: "write", path, value, tolerate: fixedByKernel, ...(some ? { within: formatMask(cpus) } : {}) }],
    undo: [{ type: "write", path, value: before, tolerate: [...fixedByKernel, "ENOENT"] }],
  };
}

/** The current CPUs that are allowed; all allowed ones where there is none. */
export function within(allowed: CpuSet): (has: CpuSet) => CpuSet {
  return (has) => {
    const kept = intersection(has, allowed);
    return kept.length > 0 ? kept : allowed;
  };
}

/**
 * The value that a target would have without Attune: the original, if it still holds the value that Attune set. A value that
 * another process has set since counts as it is.
 */
export function withoutUs(observe: Observe, target: string, current: string): string {
  return observe.applied?.(target) === current ? (observe.original(target) ?? current) : current;
}
