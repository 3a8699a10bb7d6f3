import { formatMask, mostCpus, parseMask } from "../../../../language/cpu/cpu-mask.ts";
import type { CpuSet } from "../../../../language/cpu/cpu-set.ts";

/** A mask of the user: it is printed as it was written. */
export interface GivenMask {
  readonly text: string;
  readonly cpus: CpuSet;
}

/** How masks are written, for messages. */
export const maskSyntax =
  "words of 32 bits in hexadecimal, the highest first, such as 0x0000000f or 0x00000001,,0x00000001";

/**
 * Masks as perftune and hwloc write them: each word has its `0x`, and an empty word between two others is zero. Undefined for
 * any other text, such as `ff`, and for more CPUs than a machine can have.
 */
export function parseGivenMask(text: string): GivenMask | undefined {
  const words = text.split(",");
  if (words.length > mostCpus / 32) return undefined;
  const isWord = (word: string | undefined): boolean => /^0x[0-9a-f]{1,8}$/i.test(word ?? "");
  if (!isWord(words[0]) || !isWord(words.at(-1))) return undefined;
  if (!words.every((word) => word === "" || isWord(word))) return undefined;
  const mask = parseMask(words.map((word) => word.slice(2).padStart(8, "0")).join(""));
  return mask.type === "cpus" ? { text, cpus: mask.cpus } : undefined;
}

/** For messages: one line that can be read, however long the mask is. */
export function shownMask({ text }: GivenMask): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** `0x00000001,,0x00000001`: zero words are empty, except for the last one, which is `0x0`. */
export function canonicalMask(cpus: CpuSet): string {
  const words = formatMask(cpus).split(",");
  return words
    .map((word, index) => (word !== "00000000" ? `0x${word}` : index === words.length - 1 ? "0x0" : ""))
    .join(",");
}

/** `00000001,0,00000001`: as it is written to files of the kernel. */
export function kernelMask(cpus: CpuSet): string {
  return formatMask(cpus)
    .split(",")
    .map((word) => (word === "00000000" ? "0" : word))
    .join(",");
}

/** `0x00000001,0x00000000`: as tuning Jobs are given masks. */
export function jobMask(cpus: CpuSet): string {
  return formatMask(cpus)
    .split(",")
    .map((word) => `0x${word}`)
    .join(",");
}
