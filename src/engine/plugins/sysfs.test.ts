import { expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../testing/plugin-bench.ts";
import { type Recorded, recordedCases } from "../testing/recorded-case.ts";

/** Where we do otherwise than TuneD: Q27, one file has one original, however it is reached. */
const instead: Record<string, Partial<Recorded>> = {
  "sysfs-overlap": { rolled_back: { "/sys/k/v": "9" } },
  "sysfs-symlink-alias": { rolled_back: { "/sys/k/real/wb/cpumask": "ff" } },
};

const cases = recordedCases("21-plugin-sysfs-vm").filter(({ id }) => id.startsWith("sysfs-"));

test.each(cases.map((one) => [one.id, one] as const))("%s", async (_, one) => {
  const result = await runCase(one);
  expect(outcomeOf(result)).toEqual(expectedOutcome(one, instead[one.id]));
  expect(complaints(result).length).toBe(expectedComplaints(one).length);
});
