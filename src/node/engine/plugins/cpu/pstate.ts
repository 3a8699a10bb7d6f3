import type { Observe, Step } from "../../plugin.ts";
import { valueOf, forEachDevice, impossible, kernelFile, skipped, type Wanted } from "../steps.ts";
import { truthDigit } from "../../../../language/tuned/value.ts";

const driver = "/sys/devices/system/cpu/intel_pstate";

async function hasDriver(observe: Observe): Promise<boolean> {
  return (await vendorOf(observe)) === "intel" && (await observe.host.list(driver)).length > 0;
}

/** `min_perf_pct`, `max_perf_pct`, `no_turbo`: limits of Intel's driver. TuneD never compares them. */
export async function planPstate(wanted: Wanted, observe: Observe): Promise<Step[]> {
  if (!(await hasDriver(observe)))
    return [skipped(wanted, "this node's CPUs do not use intel_pstate", { level: "info" })];
  const path = `${driver}/${wanted.option}`;
  const before = await valueOf(observe, path);
  if (before === undefined) return [impossible(wanted, `this node's kernel has no ${path}`, { verified: false })];
  const value = wanted.option === "no_turbo" ? truthDigit(wanted.value) : wanted.value;
  return [kernelFile(wanted, { path, before, value, verified: false })];
}

/** `boost`: for each policy, and for intel_pstate also as the inverse of `no_turbo`. */
export async function planBoost(wanted: Wanted, cpus: readonly string[], observe: Observe): Promise<Step[]> {
  const value = truthDigit(wanted.value);
  if (value !== "0" && value !== "1") return [impossible(wanted, `${JSON.stringify(value)} is not a yes or no`)];
  const steps = await forEachDevice(cpus, async (device) => {
    const path = `/sys/devices/system/cpu/cpufreq/policy${device.slice("cpu".length)}/boost`;
    const before = await valueOf(observe, path);
    return before === undefined ? [] : [kernelFile(wanted, { path, before, value, device })];
  });
  const path = `${driver}/no_turbo`;
  const noTurbo = (await hasDriver(observe)) ? await valueOf(observe, path) : undefined;
  if (noTurbo !== undefined)
    steps.push(kernelFile(wanted, { path, before: noTurbo, value: value === "0" ? "1" : "0" }));
  return steps.length > 0 ? steps : [skipped(wanted, "this node has no switch for boost")];
}

/** As in TuneD, x86 that is not AMD's or Hygon's counts as Intel's. */
export async function vendorOf(observe: Observe): Promise<"intel" | "amd" | "other"> {
  const vendor = await tagOf("vendor_id", observe);
  if (vendor === undefined) return "other";
  return vendor === "AuthenticAMD" || vendor === "HygonGenuine" ? "amd" : "intel";
}

export async function hasFlag(flag: string, observe: Observe): Promise<boolean> {
  return (await tagOf("flags", observe))?.split(/\s+/).includes(flag) ?? false;
}

/** The first CPU's value in /proc/cpuinfo. */
async function tagOf(tag: string, observe: Observe): Promise<string | undefined> {
  const text = (await valueOf(observe, "/proc/cpuinfo")) ?? "";
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0 && line.slice(0, colon).trim() === tag) return line.slice(colon + 1).trim();
  }
  return undefined;
}
