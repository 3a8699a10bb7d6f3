import { expect, test } from "vitest";
import { nativeEngine } from "../native-engine.ts";
import { benchHost } from "../testing/bench-host.ts";
import {
  complaints,
  expectedComplaints,
  expectedOutcome,
  outcomeOf,
  resolvedProfile,
  runCase,
} from "../testing/plugin-bench.ts";
import { type Recorded, type RecordedCase, recordedCases } from "../testing/recorded-case.ts";

/** Deviations from TuneD: Q27, one file has one original, by whatever path it is reached. */
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

const own = (profile: string, fs: Record<string, string>, watch: string[]) =>
  runCase({ id: "own", input: { profile, fs, watch }, expect: { applied: {}, rolled_back: {} } });

test("Q16: > and < before a value are part of it", async () => {
  const result = await own("[sysfs]\n/sys/k/v=>5\n", { "/sys/k/v": "9\n" }, ["/sys/k/v"]);
  expect(result.applied).toEqual({ "/sys/k/v": ">5" });
});

test("Q28: an empty original is restored as an empty line", async () => {
  const result = await own("[sysfs]\n/sys/k/v=5\n", { "/sys/k/v": "\n" }, ["/sys/k/v"]);
  expect(result.rollback?.restored).toEqual([{ target: "/sys/k/v", value: "" }]);
  expect(result.rolledBack).toEqual({ "/sys/k/v": "\n" });
});

test("Q27: two profiles that reach a file by different paths share its original", async () => {
  const fs = { "/sys/k/real/v": "9\n", "/sys/k/alias": "->/sys/k/real" };
  const one: RecordedCase = {
    id: "own",
    input: { profile: "[sysfs]\n/sys/k/alias/v=1\n", fs, watch: [] },
    expect: { applied: {}, rolled_back: {} },
  };
  const host = benchHost(one);
  const engine = nativeEngine();
  await engine.apply(await resolvedProfile(one, host), host);
  const other = { ...one, input: { ...one.input, profile: "[sysfs]\n/sys/k/real/*=2\n" } };
  expect((await engine.apply(await resolvedProfile(other, host), host)).restored).toEqual([]);
  await engine.rollback(host);
  expect(await host.read("/sys/k/real/v")).toEqual({ type: "text", text: "9" });
});

test.each(["/sys/../etc/x", "/sysx/y", "sys/k", "/proc/sys/vm/swappiness"])("%s is not below /sys", async (path) => {
  const result = await own(`[sysfs]\n${path}=1\n`, { "/etc/x": "0" }, ["/etc/x"]);
  expect(complaints(result)).toEqual([`${path}: is not a file below /sys`]);
});

test("patterns that match too many files are refused", async () => {
  const fs = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`/sys/k${index}`, "->/sys"]));
  const result = await own("[sysfs]\n/sys/*/*/*/*/*/*/*/*/*=1\n", { ...fs, "/sys/v": "1" }, ["/sys/v"]);
  expect(complaints(result)).toEqual(["/sys/*/*/*/*/*/*/*/*/*: matches too many files"]);
});
