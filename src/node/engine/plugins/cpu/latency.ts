import { parseInteger } from "../../../../language/cpu/integer.ts";
import { wantedValue } from "../../wanted-value.ts";
import type { Observe, Step } from "../../plugin.ts";
import { forEachDevice, impossible, kernelFile, skipped, valueOf, type Wanted } from "../steps.ts";

type Latency =
  | { type: "latency"; microseconds: bigint }
  /** The kernel's word for no sleep at all. */
  | { type: "n/a" }
  | { type: "none" }
  | { type: "unknown" };

const states = "/sys/devices/system/cpu/cpu0/cpuidle";

/**
 * The first of several that this node knows: microseconds, or the exit latency of an idle state, by its number
 * (`cstate.id:1`) or its name (`cstate.name:C1`); `_no_zero` skips states with latency 0.
 */
async function latencyOf(text: string, observe: Observe, allowNa: boolean): Promise<Latency> {
  for (const alternative of text.split("|")) {
    const number = parseInteger(alternative);
    if (number !== undefined) return { type: "latency", microseconds: number };
    if (alternative === "none" || alternative === "None") return { type: "none" };
    if (allowNa && alternative === "n/a") return { type: "n/a" };
    const microseconds = await latencyOfState(alternative, observe);
    if (microseconds !== undefined) return { type: "latency", microseconds };
  }
  return { type: "unknown" };
}

async function latencyOfState(text: string, observe: Observe): Promise<bigint | undefined> {
  const [, by, noZero, which = ""] = /^cstate\.(id|name)(_no_zero)?:(.*)$/s.exec(text) ?? [];
  if (by === undefined) return undefined;
  const folder = by === "id" ? folderOfId(which) : await folderOfName(which, observe);
  const latency = folder === undefined ? undefined : await valueOf(observe, `${folder}/latency`);
  const microseconds = latency === undefined ? undefined : parseInteger(latency);
  return noZero !== undefined && microseconds === 0n ? undefined : microseconds;
}

function folderOfId(text: string): string | undefined {
  const id = parseInteger(text);
  return id === undefined ? undefined : `${states}/state${id}`;
}

async function folderOfName(name: string, observe: Observe): Promise<string | undefined> {
  for (const state of await observe.host.list(states)) {
    const folder = `${states}/${state}`;
    if ((await valueOf(observe, `${folder}/name`)) === name) return folder;
  }
  return undefined;
}

const latencyDevice = "/dev/cpu_dma_latency";

/** `force_latency`: the kernel honours it while the file is open. */
export async function planForceLatency(wanted: Wanted, observe: Observe): Promise<Step[]> {
  const latency = await latencyOf(wanted.value, observe, false);
  if (latency.type === "none") return [];
  if (!(await observe.host.list("/dev")).includes("cpu_dma_latency"))
    return [skipped(wanted, `this node has no ${latencyDevice}`, { level: "info" })];
  if (latency.type !== "latency")
    return [
      impossible(wanted, `${JSON.stringify(wanted.value)} is not a latency that this node knows`, { verified: false }),
    ];
  if (BigInt.asIntN(32, latency.microseconds) !== latency.microseconds)
    return [impossible(wanted, `${latency.microseconds} µs is more than the kernel accepts`, { verified: false })];
  const value = `${latency.microseconds}`;
  return [
    {
      type: "change",
      option: wanted.option,
      from: wanted.from,
      target: latencyDevice,
      before: "",
      value,
      actions: [{ type: "hold", path: latencyDevice, hex: nativeBytes(Number(value)) }],
      undo: [{ type: "hold", path: latencyDevice, hex: "" }],
      // The kernel forgets the request with the process that made it: that it is gone is no drift.
      always: true,
      verified: false,
    },
  ];
}

/** A C `int` as this machine stores it. */
export function nativeBytes(number: number): string {
  return Buffer.from(Int32Array.of(number).buffer).toString("hex");
}

/** `pm_qos_resume_latency_us`: the limit of a single CPU. */
export async function planResumeLatency(wanted: Wanted, cpus: readonly string[], observe: Observe): Promise<Step[]> {
  return forEachDevice(cpus, async (device) => {
    const path = `/sys/devices/system/cpu/${device}/power/pm_qos_resume_latency_us`;
    const before = await valueOf(observe, path);
    if (before === undefined)
      return [skipped(wanted, "CPUs of this node have no limit of their own", { device, level: "info" })];
    const asked = wantedValue(wanted.value, path, before, observe);
    const latency = await latencyOf(asked, observe, true);
    if (latency.type === "none") return [];
    if (latency.type === "n/a") return [kernelFile(wanted, { path, before, value: "n/a", device })];
    if (latency.type === "unknown" || latency.microseconds < 0n)
      return [skipped(wanted, `${JSON.stringify(wanted.value)} is not a latency that this node knows`, { device })];
    return [kernelFile(wanted, { path, before, value: `${latency.microseconds}`, device })];
  });
}
