import { type Host, unwritten } from "../host/host.ts";
import type { ProfileSpec } from "../../domain/node-tuning/api.ts";
import type { BootArguments } from "./boot-arguments.ts";
import { execPolicies, type ExecPolicy } from "./exec-policy.ts";
import { isObject } from "../../language/object/json.ts";

export const recordPath = "/var/lib/attune/tuning.json";
/** What `attune tuned apply` applied last. */
export const appliedPath = "/var/lib/attune/applied.json";
const version = 1;

/** The Profile that a node was last tuned to. Outlives the agent, and shows whether the node has restarted since. */
export interface TuningRecord {
  /** The node's name at that time. Earlier versions recorded none. */
  readonly node?: string | undefined;
  readonly bootId: string;
  /** While a change of it is deferred, this is the only copy: the API server has the change. */
  readonly spec: ProfileSpec;
  /** The boot arguments of the profile on this node. */
  readonly bootcmdline: string;
  /** False: applying began, and may not have ended. */
  readonly complete: boolean;
  /** Which programs that profiles name might run. Earlier versions ran all, and recorded nothing. */
  readonly exec?: ExecPolicy | undefined;
  /** Whether boot arguments were written to the boot loader. Earlier versions always did, and recorded nothing. */
  readonly bootArguments?: BootArguments | undefined;
}

/** A record that cannot be parsed counts as none: then no change is deferred. */
export async function loadRecord(host: Pick<Host, "read">): Promise<TuningRecord | undefined> {
  const file = await host.read(recordPath);
  if (file.type === "failed") throw new Error(`read the tuning record: ${file.message}`);
  return file.type === "text" ? parse(file.text) : undefined;
}

/** Returns when the record would survive a crash. */
export async function saveRecord(host: Pick<Host, "replace">, record: TuningRecord): Promise<void> {
  const outcome = await host.replace(recordPath, `${JSON.stringify({ version, ...record })}\n`, 0o600);
  if (outcome.type === "failed") throw new Error(unwritten("the tuning record", outcome));
}

export async function removeRecord(host: Pick<Host, "remove">): Promise<void> {
  const outcome = await host.remove(recordPath);
  if (outcome.type === "failed") throw new Error(`remove the tuning record: ${outcome.message}`);
}

function parse(text: string): TuningRecord | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(data) || data.version !== version || typeof data.complete !== "boolean") return undefined;
  const { node, bootId, bootcmdline, spec, complete, exec, bootArguments } = data;
  if (node !== undefined && typeof node !== "string") return undefined;
  if (typeof bootId !== "string" || typeof bootcmdline !== "string" || !isSpec(spec)) return undefined;
  if (exec !== undefined && !isOneOf(execPolicies, exec)) return undefined;
  if (bootArguments !== undefined && !isOneOf(["apply", "report"] as const, bootArguments)) return undefined;
  return {
    ...(node !== undefined && { node }),
    bootId,
    bootcmdline,
    spec,
    complete,
    ...(exec && { exec }),
    ...(bootArguments && { bootArguments }),
  };
}

function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return list.some((one) => one === value);
}

/** Distinguishes a spec from other data; the spec itself was valid when it was written. */
function isSpec(value: unknown): value is ProfileSpec {
  return isObject(value) && isObject(value.config) && typeof value.config["tunedProfile"] === "string";
}
