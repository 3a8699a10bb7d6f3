import { describe, expect, it } from "vitest";
import { formatRanges } from "../../src/language/cpu/cpu-set.ts";
import { allocate, type Division } from "../../src/domain/performance-profile/creator/allocate.ts";
import { allocations, nodeOf, type RecordedAllocation, topologyOf } from "./recorded.ts";

const worker1 = topologyOf(nodeOf("bare-metal", "worker1.internal"));
const synthetic = topologyOf(allocations.synthetic);

describe("a division of CPUs", () => {
  it.each([
    ...allocations.synthetic.cases.map((one) => ({ on: synthetic, ...one })),
    ...allocations.worker1.cases.map((one) => ({ on: worker1, ...one })),
  ])("is as recorded: $reserved reserved, $offlined offlined", ({ on, R, I, O, ...wish }) => {
    const outcome = allocate(on, divisionOf(wish));
    if (outcome.type !== "allocated") throw new Error(outcome.reason);
    expect({
      R: formatRanges(outcome.reserved),
      I: formatRanges(outcome.isolated),
      O: formatRanges(outcome.offlined),
    }).toEqual({ R, I, O });
  });

  it.each(allocations.worker1.errors)("is refused as recorded: %o", (wish) => {
    expect(allocate(worker1, divisionOf(wish)).type).toBe("impossible");
  });
});

function divisionOf(wish: Omit<RecordedAllocation, "R" | "I" | "O">): Division {
  return {
    reserved: wish.reserved,
    offlined: wish.offlined ?? 0,
    split: wish.split ?? false,
    disableSmt: wish.disableHT ?? false,
    keepSockets: wish.highPower ?? false,
  };
}
