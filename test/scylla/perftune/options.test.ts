import { describe, expect, it } from "vitest";
import { dumpedOptions } from "../../../src/domain/scylla/perftune/option/dumped-options.ts";
import { checkIrqMask, effectiveOptions } from "../../../src/domain/scylla/perftune/option/effective-options.ts";
import { OptionError } from "../../../src/domain/scylla/perftune/option/option-keys.ts";
import { readOptionsFile } from "../../../src/domain/scylla/perftune/option/options-file.ts";
import { differences } from "./differences.ts";
import { fixture, given, machine } from "./recorded.ts";

export interface RecordedOptions {
  readonly id: string;
  readonly file: string | null;
  readonly args: readonly string[];
  readonly expect: string | Readonly<Record<string, unknown>>;
}

const { merging } = fixture<{ merging: RecordedOptions[] }>("perftune-options");
const topology = machine("1 x 4 x 2 split");

/** The options that are dumped, or the error. */
function dumped(args: readonly string[], file: string | null): string | object {
  try {
    const effective = effectiveOptions(given(args), file === null ? {} : readOptionsFile(file).given);
    if (effective.type === "refused") return effective.problem;
    const problem = checkIrqMask(effective.options, topology);
    if (problem) return problem.problem;
    const options = dumpedOptions(effective.options, topology);
    return options.type === "refused" ? options.problem : options.values;
  } catch (error) {
    if (error instanceof OptionError) return error.message;
    throw error;
  }
}

describe("options of perftune", () => {
  it.each(merging)("$id: $args with the file $file", ({ id, args, file, expect: recorded }) => {
    const expected = differences.options[id] ?? recorded;
    const result = dumped(args, file);
    const begins =
      typeof expected === "string" && typeof result === "string" ? result.slice(0, expected.length) : result;
    expect(begins).toEqual(expected);
    if (typeof result === "object") expect(Object.keys(result)).toEqual(Object.keys(result).toSorted());
  });

  it("differ from what was recorded where the list of differences says so", () => {
    for (const [id, difference] of Object.entries(differences.options))
      expect(merging.find((one) => one.id === id)?.expect).not.toEqual(difference);
  });

  it("are read back from what is dumped", () => {
    const args = ["--tune", "net", "--tune=disks", "--dir", "/data", "--dev", "sdb", "--arfs", "no"];
    const all = [...args, "--num-rx-queues=3", "--tcp-mem-fraction=0.1", "--irq-cpu-mask=0x1", "--cpu-mask=0xf"];
    const once = dumped(all, null);
    expect(once).toEqual(dumped([], JSON.stringify(once)));
    expect(once).toHaveProperty("tcp_mem_fraction", 0.1);
  });
});
