import type { Setting, Unit } from "../../../language/tuned/unit.ts";
import { mapBounded } from "./map-bounded.ts";
import type { Change, Impossible, Observe, Skipped, Step } from "../plugin.ts";
import { isSameValue } from "../../../language/tuned/value.ts";

/** One option of a unit. */
export interface Wanted {
  readonly option: string;
  readonly value: string;
  readonly from: string;
}

export function wantedOf(option: string, { value, from }: Setting): Wanted {
  return { option, value, from };
}

interface KernelFile {
  readonly path: string;
  readonly before: string;
  readonly value: string;
  readonly device?: string;
  readonly verified?: false;
}

/** A kernel file that holds one value. */
export function kernelFile({ option, from }: Wanted, { path, before, value, ...rest }: KernelFile): Step & Change {
  return {
    type: isSameValue(value, before) ? "same" : "change",
    option,
    from,
    target: path,
    before,
    value,
    actions: [{ type: "write", path, value }],
    undo: [{ type: "write", path, value: before }],
    ...rest,
  };
}

type SkippedMore = Pick<Step, "device"> & Pick<Skipped, "level">;
type ImpossibleMore = Pick<Step, "device"> & Pick<Impossible, "verified">;

export function skipped({ option, from }: Wanted, message: string, more: SkippedMore = {}): Step {
  return { type: "skipped", option, from, message, ...more };
}

export function impossible({ option, from }: Wanted, message: string, more: ImpossibleMore = {}): Step {
  return { type: "impossible", option, from, message, ...more };
}

/** The trimmed text of a file; `undefined` where it cannot be read. */
export async function valueOf({ host }: Observe, path: string): Promise<string | undefined> {
  const file = await host.read(path);
  return file.type === "text" ? file.text.trim() : undefined;
}

/** Some devices are asked by a program each, and a node may have hundreds of them. */
const maxConcurrentDevices = 16;

/** The steps of all devices, in order. A finding that several devices share is reported once, without a device. */
export async function forEachDevice(
  devices: readonly string[],
  plan: (device: string) => Promise<readonly Step[]>,
): Promise<Step[]> {
  const steps = (await mapBounded(devices, maxConcurrentDevices, plan)).flat();
  const counts = new Map<string, number>();
  for (const step of steps) {
    const finding = findingOf(step);
    if (finding !== undefined) counts.set(finding, (counts.get(finding) ?? 0) + 1);
  }
  return steps.flatMap((step) => {
    const finding = findingOf(step);
    if (finding === undefined) return [step];
    const times = counts.get(finding);
    counts.delete(finding);
    if (times === undefined) return [];
    if (times === 1) return [step];
    const { device: _, ...general } = step;
    return [general];
  });
}

/** Where two options of a unit have one target, the later wins. */
export function onePerTarget(steps: readonly Step[]): Step[] {
  const last = new Map(steps.flatMap((step) => ("target" in step ? [[step.target, step] as const] : [])));
  return steps.filter((step) => !("target" in step) || last.get(step.target) === step);
}

function findingOf(step: Step): string | undefined {
  return step.type === "skipped" || step.type === "impossible"
    ? `${step.type} ${step.option} ${step.message}`
    : undefined;
}

export function unknownOptions(unit: Unit, known: ReadonlySet<string>): Step[] {
  return [...unit.options]
    .filter(([option]) => !known.has(option))
    .map(([option, setting]) => unknownOption(unit.type, option, setting));
}

/** TuneD warns of an option that the plug-in does not have, and ignores it. */
export function unknownOption(type: string, option: string, { from }: Pick<Setting, "from">): Step {
  return { type: "skipped", option, from, message: `is not an option of [${type}]` };
}
