import { describe, expect, it } from "vitest";
import {
  type CpuSet,
  difference,
  formatRanges,
  intersection,
  isSubset,
  union,
} from "../../src/language/cpu/cpu-set.ts";
import { parseCpuset } from "../../src/language/cpu/kubernetes-cpuset.ts";
import {
  canonicalMask,
  jobMask,
  kernelMask,
  parseGivenMask,
} from "../../src/domain/scylla/perftune/masks/mask-text.ts";
import { differences } from "./perftune/differences.ts";
import { fixture } from "./perftune/recorded.ts";

interface Recorded {
  readonly parseList: readonly { readonly in: string; readonly out?: readonly number[]; readonly error?: true }[];
  readonly formatList: readonly { readonly in: readonly number[]; readonly out: string }[];
  readonly formatMask: readonly { readonly cpus: string; readonly mask: string }[];
  readonly parseMaskWords: readonly { readonly words: readonly number[]; readonly cpus: string }[];
  readonly setOps: readonly {
    readonly op: string;
    readonly a: string;
    readonly b: string;
    readonly out: string | boolean;
  }[];
  readonly hwlocMaskText: readonly { readonly cpus: string; readonly text: string }[];
  readonly procMaskText: readonly { readonly text: string; readonly written: string }[];
  readonly maskIsZero: readonly { readonly text: string; readonly out: boolean }[];
  readonly maskSyntax: { readonly valid: readonly string[]; readonly invalid: readonly string[] };
}

const recorded = fixture<Recorded>("cpuset");

function cpus(list: string): CpuSet {
  const read = parseCpuset(list);
  if (read.type !== "cpus") throw new Error(`${list}: ${read.type}`);
  return read.cpus;
}

const ofMask = (text: string): CpuSet | undefined => parseGivenMask(text)?.cpus;

describe("CPU sets of Scylla", () => {
  it.each(recorded.parseList)("the list $in is $out", ({ in: list, out }) => {
    const read = parseCpuset(list);
    const expected = list in differences.lists ? undefined : out;
    expect(read.type === "cpus" ? read.cpus : undefined).toEqual(expected);
  });

  it.each(recorded.formatList)("$in is the list $out", ({ in: set, out }) => {
    expect(formatRanges(set)).toBe(out);
  });

  it.each(recorded.formatMask)("$cpus is the mask of a Job $mask", ({ cpus: list, mask }) => {
    expect(jobMask(cpus(list))).toBe(mask);
    expect(ofMask(mask)).toEqual(cpus(list));
  });

  it.each(recorded.parseMaskWords)("the words $words are $cpus", ({ words, cpus: list }) => {
    expect(ofMask(words.map((word) => `0x${word.toString(16)}`).join(","))).toEqual(cpus(list));
  });

  it.each(recorded.setOps)("$op of $a and $b is $out", ({ op, a, b, out }) => {
    const operations: Record<string, (x: CpuSet, y: CpuSet) => string | boolean> = {
      union: (x, y) => formatRanges(union(x, y)),
      difference: (x, y) => formatRanges(difference(x, y)),
      intersection: (x, y) => formatRanges(intersection(x, y)),
      subset: isSubset,
    };
    expect(operations[op]?.(cpus(a), cpus(b))).toBe(out);
  });

  it.each(recorded.hwlocMaskText)("$cpus is $text as hwloc writes it", ({ cpus: list, text }) => {
    expect(canonicalMask(cpus(list))).toBe(text);
  });

  it.each(recorded.procMaskText)("$text is written as $written", ({ text, written }) => {
    expect(kernelMask(ofMask(text) ?? [])).toBe(written);
  });

  it.each(recorded.maskIsZero)("$text has no CPU: $out", ({ text, out }) => {
    expect(ofMask(text)?.length === 0).toBe(out);
  });

  it.each(recorded.maskSyntax.valid)("%s is a mask", (text) => {
    expect(ofMask(text)).toBeDefined();
  });

  it.each(recorded.maskSyntax.invalid)("%j is no mask", (text) => {
    expect(ofMask(text)).toBeUndefined();
  });
});
