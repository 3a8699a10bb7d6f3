import type { Host } from "../host/host.ts";
import type { ProfileSpec } from "../../domain/node-tuning/api.ts";
import { isObject } from "../../language/object/json.ts";

export const recordPath = "/var/lib/attune/tuning.json";
const bootIdPath = "/proc/sys/kernel/random/boot_id";
const version = 1;

/** What a node was last tuned to. Outlives the agent, and says whether the node has started anew since. */
export interface TuningRecord {
  readonly bootId: string;
  /** As it was wanted: while a change of it waits for the next start of the node, the cluster has only the change. */
  readonly spec: ProfileSpec;
  /** What it came to on this node. */
  readonly bootcmdline: string;
  /** False: it began, and whether it came to its end nobody knows. */
  readonly complete: boolean;
}

/** A record that cannot be read is none: then the node is tuned at once, which is what it would be without one. */
export async function loadRecord(host: Pick<Host, "read">): Promise<TuningRecord | undefined> {
  const file = await host.read(recordPath);
  if (file.type === "failed") throw new Error(`read what the node was tuned to: ${file.message}`);
  return file.type === "text" ? parse(file.text) : undefined;
}

/** Returns when the record would survive a crash. */
export async function saveRecord(host: Pick<Host, "replace">, record: TuningRecord): Promise<void> {
  const outcome = await host.replace(recordPath, `${JSON.stringify({ version, ...record })}\n`, 0o600);
  if (outcome.type === "failed") throw new Error(`write down what the node is tuned to: ${outcome.message}`);
}

export async function removeRecord(host: Pick<Host, "remove">): Promise<void> {
  const outcome = await host.remove(recordPath);
  if (outcome.type === "failed") throw new Error(`forget what the node was tuned to: ${outcome.message}`);
}

/** Changes with every start of the kernel. */
export async function readBootId(host: Pick<Host, "read">): Promise<string> {
  const file = await host.read(bootIdPath);
  if (file.type === "text") return file.text.trim();
  throw new Error(
    `tell one start of the node from another: ${file.type === "failed" ? file.message : `no ${bootIdPath}`}`,
  );
}

function parse(text: string): TuningRecord | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(data) || data.version !== version || typeof data.complete !== "boolean") return undefined;
  const { bootId, bootcmdline, spec, complete } = data;
  if (typeof bootId !== "string" || typeof bootcmdline !== "string" || !isSpec(spec)) return undefined;
  return { bootId, bootcmdline, spec, complete };
}

/** It was valid when it was written; what else lies under this name is not. */
function isSpec(value: unknown): value is ProfileSpec {
  return isObject(value) && isObject(value.config) && typeof value.config["tunedProfile"] === "string";
}
