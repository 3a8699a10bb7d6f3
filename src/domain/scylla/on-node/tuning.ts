import { hashOf } from "../../../language/object/hash.ts";
import { isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { TuningEngine } from "../api.ts";
import type { NetworkInterface } from "./node-facts.ts";

/** All that a tuning of a node depends on. With the same inputs the node is not tuned again. CPUs are in list format. */
export interface TuningInputs {
  /** `return`: no database is left, interrupts go back to all CPUs, and nothing else is tuned. */
  readonly purpose: "databases" | "return";
  readonly engine: TuningEngine;
  readonly image: string;
  readonly bootId: string;
  readonly cpus: string;
  readonly irqCpus: string;
  readonly interfaces: readonly NetworkInterface[];
  /** As the node sees them, sorted. */
  readonly directories: readonly string[];
  /** Block devices, sorted: of these directories, or instead of directories that are gone. */
  readonly devices: readonly string[];
  /** Absent: as it is. */
  readonly writeBackCache?: false;
}

/** What a Job remembers about the tuning that it does. */
export interface TuningRecord {
  readonly inputs: TuningInputs;
  /** Of the Jobs of a node, the highest is the last: times of a clock may go back. */
  readonly sequence: number;
  /** Tries with these inputs, this one included. */
  readonly attempt: number;
  /** By uid: the pods that the inputs are for. */
  readonly pods: Readonly<Record<string, TunedPod>>;
}

export interface TunedPod {
  readonly cpus: string;
  readonly directory?: string | undefined;
  readonly devices: readonly string[];
}

export const recordAnnotation = "scylla-operator.scylladb.com/node-config-job-data";
export const inputsHashAnnotation = "scylla-operator.scylladb.com/inputs-hash";

export function hashOfInputs(inputs: TuningInputs): string {
  return hashOf(inputs);
}

/** Undefined for a Job that this version of Attune did not create. */
export function readRecord({ metadata }: KubeObject): TuningRecord | undefined {
  const text = metadata.annotations?.[recordAnnotation];
  if (text === undefined) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isObject(record) || !isInputs(record["inputs"]) || !isObject(record["pods"])) return undefined;
  if (!Number.isSafeInteger(record["sequence"]) || !Number.isSafeInteger(record["attempt"])) return undefined;
  if (!Object.values(record["pods"]).every((pod) => isObject(pod) && typeof pod["cpus"] === "string")) return undefined;
  return record as unknown as TuningRecord;
}

/** Lists are checked because what follows iterates over them; a text of an unknown meaning only differs from what is wanted. */
function isInputs(inputs: unknown): boolean {
  if (!isObject(inputs)) return false;
  const texts = ["bootId", "cpus", "irqCpus"].every((name) => typeof inputs[name] === "string");
  return texts && ["interfaces", "directories", "devices"].every((name) => Array.isArray(inputs[name]));
}
