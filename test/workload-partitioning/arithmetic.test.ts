import { describe, expect, it } from "vitest";
import { type Container, partitioningQosClass } from "../../src/language/cpu/qos-class.ts";
import { cfsPeriod, coresForCpu, cpuForCores, cpuQuota, cpuShares, millicores } from "../../src/language/cpu/shares.ts";
import { fixture } from "./cases.ts";

const conversions = fixture<{
  shares: { id: string; millicores: number; shares: number; cores: string }[];
  quota: { id: string; limit: number; period: number; quota: number }[];
  millicores: { id: string; cpu: string; millicores: number }[];
}>("cpu-conversions");

describe("recorded conversions", () => {
  it.each(conversions.shares)("$id: $millicores millicores are $shares shares", (recorded) => {
    const cpu = `${recorded.millicores}m`;
    expect(cpuShares(BigInt(recorded.millicores))).toBe(BigInt(recorded.shares));
    expect(coresForCpu(cpu)).toBe(recorded.cores);
    expect(millicores(cpuForCores(recorded.cores))).toBe(BigInt(recorded.millicores));
  });

  it.each(conversions.quota)(
    "$id: a limit of $limit in $period µs is a quota of $quota",
    ({ limit, period, quota }) => {
      expect(cpuQuota(BigInt(limit), BigInt(period) || cfsPeriod)).toBe(BigInt(quota));
    },
  );

  it.each(conversions.millicores)("$id: $cpu is $millicores millicores", (recorded) => {
    expect(millicores(recorded.cpu)).toBe(BigInt(recorded.millicores));
  });
});

interface QosCase {
  readonly id: string;
  readonly initContainers?: readonly Container[];
  readonly containers?: readonly Container[];
  readonly class: string;
}

describe("recorded classes", () => {
  it.each(fixture<QosCase[]>("pod-qos"))("$id is $class", (recorded) => {
    const { initContainers = [], containers = [] } = recorded;
    expect(partitioningQosClass([...initContainers, ...containers])).toBe(recorded.class);
  });
});
