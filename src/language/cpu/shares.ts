import { formatQuantity, parseQuantity, roundUpQuantity, type Quantity } from "../object/quantity.ts";

/** What the kernel accepts, and what one CPU has: cpu.shares of cgroup v1, from which runtimes derive the weight of v2. */
const leastShares = 2n;
const mostShares = 262_144n;
const sharesPerCpu = 1024n;

export const cfsPeriod = 100_000n;
const leastQuota = 1000n;

/** Thousandths of a CPU, rounded up: `100500u` → 101. */
export function millicores(cpu: string): bigint {
  const { mantissa, exponent } = roundUpQuantity(parseQuantity(cpu), -3);
  return mantissa * 10n ** BigInt(exponent + 3);
}

export function cpuShares(millicores: bigint): bigint {
  const shares = (millicores * sharesPerCpu) / 1000n;
  return shares < leastShares ? leastShares : shares > mostShares ? mostShares : shares;
}

/** Microseconds of each period. 0: no limit. */
export function cpuQuota(limit: bigint, period = cfsPeriod): bigint {
  if (limit === 0n) return 0n;
  const quota = (limit * period) / 1000n;
  return quota < leastQuota ? leastQuota : quota;
}

/** The amount of a workload resource for an amount of CPU: its millicores, in the format of the text. `250m` → `250`, `1` → `1k`. */
export function coresForCpu(cpu: string): string {
  const rounded = roundUpQuantity(parseQuantity(cpu), -3);
  return formatQuantity({ ...rounded, exponent: rounded.exponent + 3 } satisfies Quantity);
}

/** The amount of CPU for an amount of a workload resource: `250` → `250m`. */
export function cpuForCores(cores: string): string {
  const { mantissa, exponent, format } = parseQuantity(cores);
  return formatQuantity({ mantissa, exponent: exponent - 3, format } satisfies Quantity);
}
