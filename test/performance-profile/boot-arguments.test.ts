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
    expect(splitArguments(bootArguments.join(" ")).join(" ")).toBe(expected);
  });
});
