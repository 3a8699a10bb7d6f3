import { expect, it } from "vitest";
import { cpuTree } from "../../../src/language/cpu/cpu-tree.ts";
import { canonicalMask, parseGivenMask } from "../../../src/domain/scylla/perftune/masks/mask-text.ts";
import { spread } from "../../../src/domain/scylla/perftune/masks/spread.ts";
import { fixture, machine } from "./recorded.ts";

interface RecordedSpread {
  readonly id: string;
  readonly machine: string;
  readonly within: string | null;
  readonly n: number;
  readonly sets: readonly string[];
  readonly first: readonly string[];
}

it.each(fixture<RecordedSpread[]>("perftune-spread"))(
  "$id: $machine within $within, split into $n",
  ({ machine: text, within, n, sets, first }) => {
    const cpus = within === null ? undefined : parseGivenMask(within)?.cpus;
    const shares = spread(cpuTree(machine(text), cpus), n);
    expect(shares.map(canonicalMask)).toEqual(sets);
    expect(shares.map((share) => canonicalMask(share.slice(0, 1)))).toEqual(first);
  },
);

it("gives more IRQs than CPUs the same CPUs again", () => {
  const shares = spread(cpuTree(machine("1 x 4 x 2 split")), 17);
  expect(shares.map(([cpu]) => cpu)).toEqual([0, 0, 0, 4, 4, 1, 1, 5, 5, 2, 2, 6, 6, 3, 3, 7, 7]);
});
