import { describe, expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../testing/plugin-bench.ts";
import { recordedCases } from "../testing/recorded-case.ts";

describe("as TuneD", () => {
  test.each(recordedCases("20-plugin-sysctl").map((one) => [one.id, one] as const))("%s", async (_, one) => {
    const result = await runCase(one);
    expect(outcomeOf(result)).toEqual(expectedOutcome(one));
    expect(complaints(result).length > 0).toBe(expectedComplaints(one).length > 0);
  });
});
