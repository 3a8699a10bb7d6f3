import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { PerformanceProfileSpec } from "../../src/domain/performance-profile/api.ts";
import { inputOf } from "../../src/domain/performance-profile/testing/facts.ts";
import { type AskedNode, processors, resolvedOn } from "../../src/domain/performance-profile/testing/resolved-tuned.ts";
import { tunedOf } from "../../src/domain/performance-profile/tuned.ts";
import { splitArguments } from "../../src/language/tuned/boot-arguments.ts";

interface Recorded {
  readonly name: string;
  readonly cpus: number;
  readonly spec: PerformanceProfileSpec;
  /** By node. */
  readonly arguments: Readonly<Record<string, string>>;
}

const kernel = "5.14.0-570.el9.x86_64";
const nodes: Readonly<Record<string, Omit<AskedNode, "cpus">>> = {
  intel: { lscpu: processors.intel, kernel },
  "intel-skylake": { lscpu: processors.intel, kernel, pmu: "skylake" },
  "intel-rt": { lscpu: processors.intel, kernel: "5.14.0-570.rt14.el9.x86_64+rt" },
  amd: { lscpu: processors.amd, kernel },
  arm: { lscpu: processors.arm, kernel: "5.14.0-570.el9.aarch64" },
};

const file = join(import.meta.dirname, "../fixtures/performance-profile/boot-arguments.yaml");
const cases = (parse(readFileSync(file, "utf8")) as Recorded[]).flatMap((one) =>
  Object.entries(one.arguments).map(([node, expected]) => [one.name, node, one, expected] as const),
);

/** Other bytes restart every node of a pool that migrates from the Go operator. */
describe("50-nto-POOL has the Go operator's boot arguments, byte by byte:", () => {
  test.each(cases)("%s on %s", (_, node, { cpus, spec }, expected) => {
    const asked = { ...nodes[node]!, cpus };
    const { bootArguments } = resolvedOn(tunedOf(inputOf(spec)), asked);
    expect(splitArguments(bootArguments.join(" ")).join(" ")).toBe(settled(spec, expected));
  });
});

/**
 * With CPUs that the machine config switches off, the Go operator has other arguments after the first boot than before, and
 * restarts the nodes once more. They were recorded before that boot.
 */
function settled({ cpu }: PerformanceProfileSpec, recorded: string): string {
  if (cpu?.offlined === undefined) return recorded;
  expect(cpu).toEqual({ reserved: "0-1", isolated: "2-5", offlined: "6-7" });
  return recorded.replace("=000000c3 ", "=00000003 ").replace("=0,1,6,7 ", "=0,1 ");
}

test("CPUs that are switched off at boot cost no second boot: the arguments are the same before and after", () => {
  const tuned = tunedOf(inputOf({ cpu: { reserved: "0", isolated: "1-3", offlined: "4,6-7" } }));
  const on = (online: string): string =>
    resolvedOn(tuned, { ...nodes.intel!, cpus: 8, online }).bootArguments.join(" ");
  expect(on("0-7")).toContain("tuned.non_isolcpus=00000021 systemd.cpu_affinity=0,5 ");
  expect(on("0-3,5")).toBe(on("0-7"));
});

/** As it is now, the CPUs online before and after the boot, and a part of the arguments. */
const switchedOn: [string, Record<string, string>, string, string, string][] = [
  ["isolated", { reserved: "0-1", isolated: "2-7" }, "0-5", "0-7", "tuned.non_isolcpus=00000003 "],
  ["reserved", { reserved: "0-1,6", isolated: "2-5,7" }, "0-5", "0-7", "systemd.cpu_affinity=0,1,6 "],
  ["shared", { reserved: "0-1", isolated: "2-5", shared: "6-7" }, "0-5", "0-7", "systemd.cpu_affinity=0,1,6,7 "],
  ["for OVS", { reserved: "0-1", isolated: "2-5", ovsDpdk: "6-7" }, "0-5", "0-7", "rcu_nocbs=2-7 "],
  ["on instead of another", { reserved: "0,7", isolated: "2-6", offlined: "1" }, "0-5", "0,2-7", "affinity=0,7 "],
  ["reserved, in TuneD's order", { reserved: "6-9", isolated: "0-5,10-15" }, "0-8,10-15", "0-15", "=8,9,6,7 "],
];

test.each(switchedOn)(
  "a CPU that was switched off costs no second boot when it is %s",
  (_, cpu, before, after, some) => {
    const tuned = tunedOf(inputOf({ cpu }));
    const on = (online: string): string =>
      resolvedOn(tuned, { ...nodes.intel!, cpus: 16, online }).bootArguments.join(" ");
    expect(on(before)).toContain(some);
    expect(on(before)).toBe(on(after));
  },
);
