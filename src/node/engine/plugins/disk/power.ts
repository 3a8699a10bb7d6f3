import { parseInteger } from "../../../../language/cpu/integer.ts";
import { wantedValue } from "../../wanted-value.ts";
import type { Observe, Step } from "../../plugin.ts";
import { impossible, skipped, type Wanted } from "../steps.ts";

/** `apm`: the power management level of a disk. */
export async function planApm(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const unsupported = await unsupportedBy(wanted, device, observe);
  if (unsupported) return [unsupported];
  const answer = await observe.host.run(["hdparm", "-B", `/dev/${device}`]);
  const before = answer.type === "exited" && answer.code === 0 ? levelIn(answer.stdout) : undefined;
  if (before === undefined) return [impossible(wanted, "hdparm does not print the level", { device })];
  const target = `hdparm -B /dev/${device}`;
  const value = levelOf(wantedValue(wanted.value, target, before, observe));
  if (value === undefined) return [outOfRange(wanted, device)];
  return [setting(wanted, { device, target, flag: "-B", before, value, type: value === before ? "same" : "change" })];
}

/** The vendor's default: a disk's spindown time cannot be read. */
const vendorDefault = "253";

/** `spindown`: set on every apply and never verified, because it cannot be read. */
export async function planSpindown(wanted: Wanted, device: string, observe: Observe): Promise<Step[]> {
  const unsupported = await unsupportedBy(wanted, device, observe);
  if (unsupported) return [unsupported];
  const target = `hdparm -S /dev/${device}`;
  const value = levelOf(wantedValue(wanted.value, target, vendorDefault, observe));
  if (value === undefined) return [outOfRange(wanted, device)];
  const step = setting(wanted, { device, target, flag: "-S", before: vendorDefault, value, type: "change" });
  // Without `always`, the next check would take it for a change by another process.
  return [{ ...step, always: true, verified: false }];
}

async function unsupportedBy(wanted: Wanted, device: string, { host }: Observe): Promise<Step | undefined> {
  const answer = await host.run(["hdparm", "-C", `/dev/${device}`]);
  if (answer.type === "failed") return skipped(wanted, "hdparm cannot be run; is it installed?");
  if (answer.code !== 0 || answer.stdout.includes("unknown"))
    return skipped(wanted, "hdparm cannot manage this disk's power", { device, level: "info" });
  return undefined;
}

/** ` APM_level	= 254`, in which `off` is no number. */
function levelIn(stdout: string): string | undefined {
  const digits = /=\s*([0-9]{1,3})/.exec(stdout)?.[1];
  return digits === undefined ? undefined : levelOf(digits);
}

function levelOf(text: string): string | undefined {
  const level = parseInteger(text);
  return level !== undefined && level >= 0n && level <= 255n ? `${level}` : undefined;
}

function outOfRange(wanted: Wanted, device: string): Step {
  return impossible(wanted, `${JSON.stringify(wanted.value)} is not a number from 0 to 255`, { device });
}

interface Level {
  readonly device: string;
  readonly target: string;
  readonly flag: "-B" | "-S";
  readonly before: string;
  readonly value: string;
  readonly type: "same" | "change";
}

function setting({ option, from }: Wanted, { flag, ...step }: Level) {
  const { device } = step;
  const needs = `/sys/block/${device.replaceAll("/", "!")}`;
  const set = (level: string) => ({ type: "run", argv: ["hdparm", flag, level, `/dev/${device}`], needs }) as const;
  return { option, from, ...step, actions: [set(step.value)], undo: [set(step.before)] };
}
