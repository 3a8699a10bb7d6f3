import type { Observe, Step } from "../../plugin.ts";
import { parseInteger } from "../../../../language/cpu/integer.ts";
import type { Setting } from "../../../../language/tuned/unit.ts";
import { undoSysctl } from "../sysctl/sysctl.ts";

/** TuneD asks the kernel for it; the supported architectures have pages of this size. */
const pageBytes = 4096n;

/** `dirty_bytes = 64000000`, or `10%`, which sets dirty_ratio. */
export async function planDirty(option: string, { value, from }: Setting, observe: Observe): Promise<Step[]> {
  const about = { option, from };
  const old = option.endsWith("_ratio");
  const steps: Step[] = [];
  if (old)
    steps.push({
      ...about,
      type: "skipped",
      message: `is deprecated: use ${option.replace("_ratio", "_bytes")} with a percent sign`,
    });
  const asked = old ? { name: option, value } : targetOf(option, value);
  const refusal = refusalOf(asked.name, asked.value);
  if (refusal !== undefined) return [...steps, { ...about, type: "impossible", message: refusal }];

  const target = `/proc/sys/vm/${asked.name}`;
  const file = await observe.host.read(target);
  if (file.type !== "text")
    return [...steps, { ...about, type: "impossible", message: `cannot read the original value of ${target}` }];
  const before = file.text.trim();
  steps.push({
    ...about,
    type: before === asked.value ? "same" : "change",
    target,
    before,
    value: asked.value,
    actions: [{ type: "write", path: target, value: asked.value }],
    undo: await undoSysctl(target, before, observe),
  });
  return steps;
}

function targetOf(option: string, value: string): { name: string; value: string } {
  const text = value.trim();
  if (!text.endsWith("%")) return { name: option, value: text };
  return { name: option.replace("_bytes", "_ratio"), value: text.slice(0, -1).trim() };
}

function refusalOf(name: string, value: string): string | undefined {
  const number = parseInteger(value);
  if (number === undefined) return `${JSON.stringify(value)} is not a number`;
  if (name.endsWith("_ratio"))
    return number >= 0n && number <= 100n ? undefined : `${value}% is not between 0% and 100%`;
  if (name === "dirty_bytes")
    return number >= 2n * pageBytes ? undefined : `must be at least two pages (${2n * pageBytes})`;
  return number > 0n ? undefined : "must be more than 0";
}
