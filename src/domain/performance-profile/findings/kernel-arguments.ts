import { index } from "../../../language/schema/path.ts";
import { advice, type Check } from "./check.ts";
import type { Judged } from "./judged.ts";

const field = "spec.additionalKernelArgs";

/** With the argument given twice, the kernel or systemd uses the last one or both, depending on the argument. */
export const kernelArgumentDerived: Check = {
  name: "KernelArgumentDerived",
  severity: "warning",
  faults: (judged) =>
    words(judged).flatMap(({ word, position }) => {
      const decider = deciderOf(word, judged);
      if (decider === undefined) return [];
      return [
        advice(
          index(field, position),
          `${word}: boot arguments of this name are derived from ${decider}; leave it out`,
        ),
      ];
    }),
};

const fromPools = new Set(["isolcpus", "nohz_full", "rcu_nocbs", "tuned.non_isolcpus", "systemd.cpu_affinity"]);
const fromPages = new Set(["default_hugepagesz", "hugepagesz", "hugepages"]);
const fromHints = new Set(["intel_pstate", "amd_pstate"]);
const always = new Map([
  ["nohz", "on"],
  ["skew_tick", "1"],
]);

function deciderOf(word: string, { spec }: Judged): string | undefined {
  const [name = "", value] = word.split("=", 2);
  if (fromPools.has(name)) return "spec.cpu";
  if (name === "irqaffinity" && spec.cpu?.ovsDpdk) return "spec.cpu";
  if (fromPages.has(name) && spec.hugepages) return "spec.hugepages";
  if (fromHints.has(name)) return "spec.workloadHints and spec.hardwareTuning";
  return always.has(name) && always.get(name) !== value ? "the profile itself" : undefined;
}

/** Items are joined with spaces, so an item with a space is two arguments. */
export const kernelArgumentUnusual: Check = {
  name: "KernelArgumentUnusual",
  severity: "warning",
  faults: (judged) =>
    words(judged).flatMap(({ word, position }) => {
      const why = oddity(word);
      return why === undefined ? [] : [advice(index(field, position), why)];
    }),
};

function oddity(word: string): string | undefined {
  if (word.trim() === "") return "is empty: leave it out";
  if (word.split('"').length % 2 === 0)
    return `${word}: a quote is missing, so the arguments after it belong to this one`;
  const outsideQuotes = word.split('"').filter((_, position) => position % 2 === 0);
  if (outsideQuotes.some((part) => part.includes(" ")))
    return `${word}: a space separates arguments; give each its own item`;
  return undefined;
}

function words({ spec }: Judged): { word: string; position: number }[] {
  return (spec.additionalKernelArgs ?? []).map((word, position) => ({ word, position }));
}
