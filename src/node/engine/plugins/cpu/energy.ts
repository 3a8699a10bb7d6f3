import { parseInteger } from "../../../../language/cpu/integer.ts";
import type { Observe, Step } from "../../plugin.ts";
import { forEachDevice, impossible, kernelFile, skipped, valueOf, type Wanted } from "../steps.ts";
import { hasFlag, vendorOf } from "./pstate.ts";

/** Names of biases in the kernel and in x86_energy_perf_policy since Linux 4.13; older tools had three. */
const today = new Map([
  ["performance", 0],
  ["balance-performance", 4],
  ["normal", 6],
  ["balance-power", 8],
  ["power", 15],
]);
const before413 = new Map([
  ["performance", 0],
  ["normal", 6],
  ["powersave", 15],
]);

/** `energy_perf_bias`: the first known of several, set by the kernel or, on older Intel CPUs, by x86_energy_perf_policy. */
export async function planEnergyPerfBias(wanted: Wanted, cpus: readonly string[], observe: Observe): Promise<Step[]> {
  if (await hasFlag("hwp_epp", observe)) return forEachDevice(cpus, (device) => throughKernel(wanted, device, observe));
  if ((await vendorOf(observe)) !== "intel") return [skipped(wanted, "this node's CPUs have no such bias")];
  const tool = await observe.host.run(["x86_energy_perf_policy", "-r"]);
  if (tool.type === "failed") return [skipped(wanted, "x86_energy_perf_policy cannot be run; is it installed?")];
  if (tool.code !== 0 || tool.stdout.trim() === "") return [skipped(wanted, "this node's CPUs have no such bias")];
  return forEachDevice(cpus, (device) => throughTool(wanted, device, observe));
}

async function throughKernel(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const path = `/sys/devices/system/cpu/${device}/power/energy_perf_bias`;
  const before = await valueOf(observe, path);
  if (before === undefined) return [skipped(wanted, "the kernel has no file for it", { device })];
  const value = known(wanted.value, today);
  if (value === undefined) return [unknown(wanted, device)];
  return [
    {
      ...step(wanted, device, { target: path, before, value, names: today }),
      actions: [{ type: "write", path, value }],
      undo: [{ type: "write", path, value: before }],
    },
  ];
}

async function throughTool(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const tool = ["x86_energy_perf_policy", "-c", device.slice("cpu".length)];
  const answer = await observe.host.run([...tool, "-r"]);
  const words = answer.type === "exited" && answer.code === 0 ? biasIn(answer.stdout) : undefined;
  if (!words) return [impossible(wanted, "x86_energy_perf_policy does not print the bias", { device })];
  const { bias: before, names } = words;
  const value = known(wanted.value, names);
  if (value === undefined) return [unknown(wanted, device)];
  return [
    {
      ...step(wanted, device, { target: `energy_perf_bias ${device}`, before, value, names }),
      actions: [{ type: "run", argv: [...tool, value] }],
      undo: [{ type: "run", argv: [...tool, before] }],
    },
  ];
}

/** `cpu0: 0x0006`, and since Linux 4.13 `cpu0: EPB 6`. */
function biasIn(stdout: string): { bias: string; names: ReadonlyMap<string, number> } | undefined {
  for (const line of stdout.split("\n")) {
    const words = line.trim().split(/\s+/);
    const [text, names] =
      words.length === 3 ? [words[2], today] : [words.length === 2 ? words[1] : undefined, before413];
    const number = text === undefined ? undefined : numberOf(text, names);
    if (number !== undefined) return { bias: `${number}`, names };
  }
  return undefined;
}

interface Bias {
  readonly target: string;
  readonly before: string;
  readonly value: string;
  readonly names: ReadonlyMap<string, number>;
}

function step({ option, from }: Wanted, device: string, { names, ...rest }: Bias) {
  const same = numberOf(rest.before, names) === numberOf(rest.value, names);
  return { type: same ? "same" : "change", option, from, device, ...rest } as const;
}

function known(value: string, names: ReadonlyMap<string, number>): string | undefined {
  return value
    .split("|")
    .map((alternative) => alternative.trim())
    .find((alternative) => numberOf(alternative, names) !== undefined);
}

function unknown(wanted: Wanted, device: string): Step {
  return impossible(wanted, `${JSON.stringify(wanted.value)} is not a known bias`, { device });
}

function numberOf(text: string, names: ReadonlyMap<string, number>): number | undefined {
  const named = names.get(text);
  if (named !== undefined) return named;
  const number = /^0x[0-9a-f]{1,8}$/i.test(text) ? BigInt(text) : parseInteger(text);
  return number !== undefined && number >= 0n && number <= 15n ? Number(number) : undefined;
}

/** `energy_performance_preference`: the first of several that the CPU offers; every CPU takes numbers up to 255. */
export async function planEnergyPreference(wanted: Wanted, cpus: readonly string[], observe: Observe): Promise<Step[]> {
  const steps = await forEachDevice(cpus, async (device) => {
    const policy = `/sys/devices/system/cpu/cpufreq/policy${device.slice("cpu".length)}`;
    const available = await valueOf(observe, `${policy}/energy_performance_available_preferences`);
    const path = `${policy}/energy_performance_preference`;
    const before = await valueOf(observe, path);
    if (available === undefined || before === undefined) return [];
    const alternatives = wanted.value.split("|");
    // TuneD verifies any of the alternatives as passed.
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
  return steps.length > 0 ? steps : [skipped(wanted, "no CPU of this node has preferences", { level: "info" })];
}

function preferenceOf(text: string, offered: readonly string[]): string | undefined {
  const number = parseInteger(text);
  if (number === undefined) return offered.includes(text) ? text : undefined;
  return number >= 0n && number < 256n ? `${number}` : undefined;
}
