import { expect, test } from "vitest";
import { complaints, expectedComplaints, expectedOutcome, outcomeOf, runCase } from "../../testing/plugin-bench.ts";
import { type Recorded, recordedCases } from "../../testing/recorded-case.ts";

const enabled = "/sys/kernel/mm/transparent_hugepage/enabled";

/** Deviations from TuneD. */
const instead: Record<string, Partial<Recorded>> = {
  // Nothing was written, so nothing is restored.
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

const own = (profile: string, fs: Record<string, string>) =>
  runCase({ id: "own", input: { profile, fs, watch: Object.keys(fs) }, expect: { applied: {}, rolled_back: {} } });

test.each([
  ["transparent_hugepages", 1],
  ["transparent_hugepage", 0],
])("Q14: %s is applied, and has %i differences afterwards", async (option, differences) => {
  const input = {
    profile: `[vm]\n${option}=never\n`,
    fs: { [enabled]: "[always] madvise never\n" },
    watch: [enabled],
    fs_before_verify: { [enabled]: "[always] madvise never\n" },
  };
  const result = await runCase({ id: "own", input, expect: { applied: {}, rolled_back: {} } });
  expect(result.applied).toEqual({ [enabled]: "never" });
  expect(result.verify?.differences).toHaveLength(differences);
});

test("huge pages that the kernel command line sets are not changed", async () => {
  const fs = { [enabled]: "[always] madvise never\n", "/proc/cmdline": "ro transparent_hugepage=always\n" };
  const result = await own("[vm]\ntransparent_hugepages=never\n", fs);
  expect(result.apply.settings).toMatchObject([{ type: "skipped", level: "info" }]);
  expect(result.verify?.differences).toEqual([]);
});

test("older kernels of Red Hat have another path for huge pages", async () => {
  const path = "/sys/kernel/mm/redhat_transparent_hugepage/enabled";
  const result = await own("[vm]\ntransparent_hugepages=never\n", { [path]: "[always] never\n" });
  expect(result.applied).toEqual({ [path]: "never" });
});

test.each([
  "dirty_bytes=x",
  "dirty_bytes=",
  "dirty_background_bytes=0",
  "dirty_ratio=101",
  "dirty_background_bytes=-1%",
])("%s is refused", async (line) => {
  const fs = Object.fromEntries(
    ["dirty_bytes", "dirty_ratio", "dirty_background_bytes", "dirty_background_ratio"].map((name) => [
      `/proc/sys/vm/${name}`,
      "10\n",
    ]),
  );
  const result = await own(`[vm]\n${line}\n`, fs);
  expect(result.apply.settings).toContainEqual(expect.objectContaining({ type: "failed" }));
  expect(Object.values(result.applied)).toEqual(["10\n", "10\n", "10\n", "10\n"]);
});

test("an unknown option of [vm] is reported", async () => {
  expect(complaints(await own("[vm]\ndirty=1\n__proto__=2\n", {}))).toEqual([
    "dirty: is not an option of [vm]",
    "__proto__: is not an option of [vm]",
  ]);
});
