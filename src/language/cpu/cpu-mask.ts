import { type CpuSet } from "./cpu-set.ts";

/** More CPUs than any kernel supports: a higher number is a mistake, or an attempt to exhaust memory. */
export const mostCpus = 65_536;

export type CpuMask = { type: "cpus"; cpus: CpuSet } | { type: "malformed" } | { type: "too-large" };

/** `00000001,0000002e`: groups of 32 bits, the highest first, as the kernel writes masks of any width. */
export function formatMask(cpus: CpuSet): string {
  const groups: number[] = [0];
  for (const cpu of cpus) {
    const group = Math.floor(cpu / 32);
    while (groups.length <= group) groups.push(0);
    groups[group] = ((groups[group] ?? 0) | (1 << (cpu % 32))) >>> 0;
  }
  return groups
    .reverse()
    .map((bits) => bits.toString(16).padStart(8, "0"))
    .join(",");
}

/** `12e`: one hexadecimal number of any width. */
export function formatHexMask(cpus: CpuSet): string {
  return formatMask(cpus)
    .replaceAll(",", "")
    .replace(/^0+(?=.)/, "");
}

/** Ignores commas, accepts a leading `0x`. A negative mask has no CPUs. */
export function parseMask(text: string): CpuMask {
  const match = /^([+-]?)(?:0x_?)?([0-9a-f]+(?:_[0-9a-f]+)*)$/i.exec(text.replaceAll(",", "").trim());
  if (!match) return { type: "malformed" };
  if (match[1] === "-") return { type: "cpus", cpus: [] };
  const digits = (match[2] ?? "").replaceAll("_", "").replace(/^0+/, "");
  if (digits.length > mostCpus / 4) return { type: "too-large" };
  const cpus: number[] = [];
  for (let i = 0; i < digits.length; i++) {
    const nibble = Number.parseInt(digits.charAt(digits.length - 1 - i), 16);
    for (let bit = 0; bit < 4; bit++) if (nibble & (1 << bit)) cpus.push(i * 4 + bit);
  }
  return { type: "cpus", cpus };
}
