import { describe, expect, it } from "vitest";
import { checkIrqMask, effectiveOptions } from "../../../src/domain/scylla/perftune/option/effective-options.ts";
import { deriveMasks } from "../../../src/domain/scylla/perftune/masks/derive-masks.ts";
import { canonicalMask } from "../../../src/domain/scylla/perftune/masks/mask-text.ts";
import { fixture, given, machine } from "./recorded.ts";

interface RecordedMasks {
  readonly id: string;
  readonly machine: string;
  readonly args: readonly string[];
  readonly irq: string;
  readonly compute: string;
}

const cases = fixture<RecordedMasks[]>("perftune-masks");
const anyComponent = ["--tune", "system"];

/** Reasons by their names in the fixture. */
const reasons: Readonly<Record<string, string>> = {
  ZeroComputeMask: "zero-compute-mask",
  ZeroIrqMask: "zero-irq-mask",
};

function derived(args: readonly string[], text: string): { irq: string; compute: string } {
  const both = (one: string): { irq: string; compute: string } => ({ irq: one, compute: one });
  const topology = machine(text);
  const effective = effectiveOptions(given([...args, ...anyComponent]));
  if (effective.type === "refused")
    return both(/ratio/.test(effective.problem) ? "ratio-too-small" : effective.problem);
  const { options } = effective;
  if (checkIrqMask(options, topology)) return both("irq-mask-not-subset");
  const masks = deriveMasks({ options, topology, hasSiblings: true });
  if (masks.type === "refused") return both(reasons[masks.reason] ?? masks.problem);
  return { irq: options.irqCpuMask?.text ?? canonicalMask(masks.irq), compute: canonicalMask(masks.compute) };
}

describe("masks of perftune", () => {
  it("are recorded", () => {
    expect(cases.length).toBeGreaterThanOrEqual(70);
  });

  it.each(cases)("$id: $machine $args", ({ machine: text, args, irq, compute }) => {
    expect(derived(args, text)).toEqual({ irq, compute });
  });

  it("m075, a universe without the first NUMA node: IRQ CPUs are cores of its own nodes", () => {
    const secondNode = "0xffffff00,0x0000ffff,0xff000000";
    expect(derived(["--cpu-mask", secondNode], "2 x 24 x 2 split")).toEqual({
      irq: "0x00000300,,0x03000000",
      compute: "0xfffffc00,0x0000ffff,0xfc000000",
    });
  });
});
