import { findCondition } from "../../../language/object/condition.ts";
import type { JsonObject } from "../../../language/object/json.ts";
import type { MachineConfig, MachineConfigPool } from "../../machine-config/api.ts";
import { acceptedVersion } from "./accept-version.ts";
import { firstBootPayload, servedConfig } from "./payload.ts";

export interface FirstBootRequest {
  /** Of the pool that the node will be in. */
  readonly pool: string;
  /** The Accept header. */
  readonly accept: string;
}

export interface FirstBootSources {
  readonly pool: (name: string) => MachineConfigPool | undefined;
  /** A rendered config with its content. */
  readonly config: (name: string) => Promise<MachineConfig | undefined>;
  /** Whether the pool selects any MachineConfig. */
  readonly selects: (pool: string) => boolean;
  readonly kubeletAuthority?: string | undefined;
}

export type FirstBootAnswer =
  | { readonly type: "payload"; readonly config: string; readonly payload: JsonObject }
  /** The pool configures nothing: the node joins as it was installed. */
  | { readonly type: "nothing" }
  | { readonly type: "refused"; readonly status: number; readonly message: string };

/** What a new node of a pool boots with. */
export async function answerFirstBoot(
  { pool: name, accept }: FirstBootRequest,
  sources: FirstBootSources,
): Promise<FirstBootAnswer> {
  const version = acceptedVersion(accept);
  if (version === undefined || !version.startsWith("3."))
    return refused(406, `no Ignition version of ${JSON.stringify(accept)} is served: ask for 3.0 to 3.5`);
  const pool = sources.pool(name);
  if (!pool) return refused(404, `MachineConfigPool ${JSON.stringify(name)} does not exist`);
  const configName = servedConfig(pool);
  if (configName === undefined) return sources.selects(name) ? unrendered(pool) : { type: "nothing" };
  const config = await sources.config(configName);
  if (!config) return refused(503, `MachineConfig ${configName} of MachineConfigPool ${name} does not exist`);
  const { kubeletAuthority } = sources;
  return { type: "payload", config: configName, payload: firstBootPayload({ config, version, kubeletAuthority }) };
}

function unrendered({ metadata: { name }, status }: MachineConfigPool): FirstBootAnswer {
  const { status: isDegraded, message } = findCondition(status?.conditions, "RenderDegraded") ?? {};
  const why = isDegraded === "True" ? `: ${message}` : "";
  return refused(503, `MachineConfigPool ${name} has no rendered config yet${why}`);
}

function refused(status: number, message: string): FirstBootAnswer {
  return { type: "refused", status, message };
}
