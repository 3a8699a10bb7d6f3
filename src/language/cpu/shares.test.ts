import { expect, it } from "vitest";
import { coresForCpu, cpuForCores, cpuQuota, cpuShares, millicores } from "./shares.ts";

it.each([
  ["1e30", 10n ** 33n, "1e33"],
  ["9223372036854775808", 9223372036854775808000n, "9223372036854775808k"],
  ["1Ki", 1024000n, "1000Ki"],
  ["-100m", -100n, "-100"],
  ["0", 0n, "0"],
])("%s is exact, however large: %s millicores", (cpu, amount, cores) => {
  expect(millicores(cpu)).toBe(amount);
  expect(coresForCpu(cpu)).toBe(cores);
  expect(millicores(cpuForCores(cores))).toBe(amount);
});

it("keeps shares within what the kernel accepts", () => {
  expect([-1n, 0n, 1n, 2n, 10n ** 40n].map(cpuShares)).toEqual([2n, 2n, 2n, 2n, 262_144n]);
});

it("has no quota below a millisecond", () => {
  expect([0n, 1n, 9n, 11n].map((limit) => cpuQuota(limit))).toEqual([0n, 1000n, 1000n, 1100n]);
});
