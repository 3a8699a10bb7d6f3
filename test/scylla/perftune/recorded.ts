import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { cpuSet } from "../../../src/language/cpu/cpu-set.ts";
import type { CpuTopology } from "../../../src/language/cpu/cpu-topology.ts";
import {
  type GivenOptions,
  OptionError,
  optionKeys,
  readGiven,
} from "../../../src/domain/scylla/perftune/option/option-keys.ts";
import { effectiveOptions } from "../../../src/domain/scylla/perftune/option/effective-options.ts";
import type { PerftuneOptions } from "../../../src/domain/scylla/perftune/option/perftune-options.ts";

/** One file of `test/fixtures/scylla`. */
export function fixture<Content>(file: string): Content {
  return parse(readFileSync(join(import.meta.dirname, "../../fixtures/scylla", `${file}.yaml`), "utf8")) as Content;
}

/** `2 x 8 x 2 split`: NUMA nodes, cores of each, threads of each, and how CPUs are numbered. */
export function machine(text: string): CpuTopology {
  const [, nodes = 0, cores = 0, threads = 0] = /^(\d+) x (\d+) x (\d+) /.exec(text)?.map(Number) ?? [];
  const total = nodes * cores;
  return {
    offline: [],
    numaNodes: Array.from({ length: nodes }, (_, node) => ({
      id: node,
      cores: Array.from({ length: cores }, (_unused, core) => {
        const index = node * cores + core;
        const cpuOf = (thread: number): number =>
          text.endsWith("split") ? index + thread * total : index * threads + thread;
        return { id: core, socket: node, cpus: cpuSet(Array.from({ length: threads }, (_none, at) => cpuOf(at))) };
      }),
    })),
  };
}

/** Options as a command line gives them: `--mode sq`, `--mode=sq`, `--tune-clock`. */
export function given(args: readonly string[]): GivenOptions {
  const values: Record<string, unknown> = {};
  for (let at = 0; at < args.length; at++) {
    const [, flag = "", value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(args[at] ?? "") ?? [];
    const key = flag.replaceAll("-", "_");
    if (!Object.hasOwn(optionKeys, key)) throw new Error(`${args[at]}: no option`);
    const text = key === "tune_clock" ? true : (value ?? args[++at]);
    const before = values[key];
    values[key] = Array.isArray(before)
      ? [...(before as unknown[]), text]
      : ["tune", "nic", "dir", "dev"].includes(key)
        ? [text]
        : text;
  }
  return readGiven(values);
}

/** The options of a command line that is expected to be right. */
export function options(args: readonly string[]): PerftuneOptions {
  const effective = effectiveOptions(given(args));
  if (effective.type === "refused") throw new OptionError(effective.problem);
  return effective.options;
}
