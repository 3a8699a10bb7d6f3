import { parseInteger } from "../../../../language/cpu/integer.ts";
import { activeOption } from "../../../../language/tuned/value.ts";
import type { Unit } from "../../../../language/tuned/unit.ts";
import { wantedValue } from "../../wanted-value.ts";
import type { Observe, Step } from "../../plugin.ts";
import { impossible, kernelFile, skipped, valueOf, type Wanted } from "../steps.ts";

function queueFile(device: string, name: string): string {
  return `/sys/block/${device.replaceAll("/", "!")}/queue/${name}`;
}

/** `elevator`: written as it is; as in TuneD, `a|b` means one of several only when verifying. */
export async function planElevator(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const path = queueFile(device, "scheduler");
  const text = await valueOf(observe, path);
  if (text === undefined || text === "") return [skipped(wanted, "the disk has no scheduler", { device })];
  return [kernelFile(wanted, { path, before: activeOption(text), value: wanted.value, device })];
}

/** `readahead`: KiB, or sectors of half a KiB as in `8192 s`. */
export async function planReadahead(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const path = queueFile(device, "read_ahead_kb");
  const before = await valueOf(observe, path);
  const value = kibibytes(before === undefined ? wanted.value : wantedValue(wanted.value, path, before, observe));
  if (value === undefined)
    return [impossible(wanted, `${JSON.stringify(wanted.value)} is not a readahead`, { device, verified: false })];
  if (before === undefined) return [skipped(wanted, "the disk has no readahead", { device })];
  return [kernelFile(wanted, { path, before, value: `${value}`, device })];
}

function kibibytes(text: string): bigint | undefined {
  const [digits = "", unit = ""] = text.trim().split(/\s+/);
  const number = parseInteger(digits);
  return number !== undefined && unit.startsWith("s") ? number / 2n : number;
}

/** `readahead_multiply`: multiplies the original, or the readahead of the same unit. Never verified. */
export async function planReadaheadMultiply(
  wanted: Wanted,
  device: string,
  observe: Observe,
  unit: Unit,
): Promise<Step[]> {
  const path = queueFile(device, "read_ahead_kb");
  const before = await valueOf(observe, path);
  if (before === undefined) return [];
  const readahead = unit.options.get("readahead");
  const set = readahead && kibibytes(wantedValue(readahead.value, path, before, observe));
  const product = Math.trunc(factorOf(wanted.value) * Number(set ?? observe.original(path) ?? before));
  if (!Number.isSafeInteger(product))
    return [impossible(wanted, `${JSON.stringify(wanted.value)} is not a factor`, { device, verified: false })];
  return [kernelFile(wanted, { path, before, value: `${product}`, device, verified: false })];
}

function factorOf(text: string): number {
  return /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
}

/** `scheduler_quantum`: only some schedulers have one. */
export async function planQuantum(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const path = queueFile(device, "iosched/quantum");
  const before = await valueOf(observe, path);
  if (before === undefined) return [skipped(wanted, "the disk's scheduler has no quantum", { device })];
  const value = parseInteger(wantedValue(wanted.value, path, before, observe));
  return value === undefined
    ? [impossible(wanted, `${JSON.stringify(wanted.value)} is not a number`, { device })]
    : [kernelFile(wanted, { path, before, value: `${value}`, device })];
}
