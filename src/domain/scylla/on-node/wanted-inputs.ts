import type { CpuSet } from "../../../language/cpu/cpu-set.ts";
import { formatRanges } from "../../../language/cpu/cpu-set.ts";
import type { TuningEngine } from "../api.ts";
import type { Database } from "./databases.ts";
import type { NodeFacts } from "./node-facts.ts";
import type { TuningInputs, TuningRecord } from "./tuning.ts";
import { hasWriteBackCache } from "./write-back-cache.ts";

export interface WantedInput {
  readonly engine: TuningEngine;
  readonly image: string;
  readonly facts: NodeFacts;
  readonly databases: readonly Database[];
  readonly irqCpus: CpuSet;
  /** The last tuning of this boot, and whether it has succeeded. */
  readonly before: TuningRecord | undefined;
  readonly isDone: boolean;
}

/** What the node must be tuned with; undefined if it stays as it is. */
export function wantedInputs(input: WantedInput): TuningInputs | undefined {
  const { engine, image, facts, databases, irqCpus, before } = input;
  if (databases.length === 0) return before && returnInputs(input, before.inputs);
  if (irqCpus.length === 0) return undefined;
  const noWriteBack = isWithoutWriteBack(input);
  return {
    purpose: "databases",
    engine,
    image,
    bootId: facts.bootId,
    cpus: formatRanges(facts.cpus),
    irqCpus: formatRanges(irqCpus),
    interfaces: facts.interfaces,
    directories: sorted(databases.flatMap(({ facts }) => facts.directory ?? [])),
    devices: sorted(databases.flatMap(({ facts }) => facts.devices)),
    ...(noWriteBack ? { writeBackCache: false } : {}),
  };
}

/**
 * After the last database: interrupts of what was tuned go back to all CPUs. Once that is done, the node stays as it is; until then another
 * image may do it.
 */
function returnInputs({ engine, image, facts, isDone }: WantedInput, before: TuningInputs): TuningInputs | undefined {
  if (before.purpose === "return") return isDone ? undefined : { ...before, engine, image };
  const now = new Map(facts.interfaces.map((one) => [one.name, one]));
  const interfaces = before.interfaces.flatMap(({ name }) => now.get(name) ?? []);
  const devices = before.devices.filter((name) => facts.blockDevices.includes(name));
  if (interfaces.length === 0 && devices.length === 0) return undefined;
  const cpus = formatRanges(facts.cpus);
  return {
    purpose: "return",
    engine,
    image,
    bootId: facts.bootId,
    cpus,
    irqCpus: cpus,
    interfaces,
    directories: [],
    devices,
  };
}

/** While no resolver answers, it stays as it was: a node is not tuned again because of that. */
function isWithoutWriteBack({ engine, image, facts, before }: WantedInput): boolean {
  const onGke = facts.onGke ?? before?.inputs.writeBackCache === false;
  return onGke && (engine === "native" || hasWriteBackCache(image));
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
