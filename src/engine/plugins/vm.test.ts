import { expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../testing/plugin-bench.ts";
import { type Recorded, recordedCases } from "../testing/recorded-case.ts";

const enabled = "/sys/kernel/mm/transparent_hugepage/enabled";

/** Where we do otherwise than TuneD. */
const instead: Record<string, Partial<Recorded>> = {
  // Nothing was written, so nothing is put back.
  "vm-thp-bad": { rolled_back: { [enabled]: "always [madvise] never" } },
  // Two options for one file have one original.
  "vm-conflict": { rolled_back: { "/proc/sys/vm/dirty_bytes": "0", "/proc/sys/vm/dirty_ratio": "20" } },
};

const cases = recordedCases("21-plugin-sysfs-vm").filter(({ id }) => id.startsWith("vm-"));

test.each(cases.map((one) => [one.id, one] as const))("%s", async (_, one) => {
  const result = await runCase(one);
  expect(outcomeOf(result)).toEqual(expectedOutcome(one, instead[one.id]));
  expect(complaints(result).length).toBe(expectedComplaints(one).length);
});
