import { parseArgs } from "node:util";
import type { EngineName } from "../../../node/engine/tuned-daemon/choose-engine.ts";
import type { Protocol } from "../../../domain/node-tuning/api.ts";
import type { Options } from "../option/connection-option.ts";
import { durationOption } from "../option/duration-option.ts";
import { protocolOption } from "../operator/mode.ts";
import { engineOption } from "../tuned/engine-option.ts";

export interface AgentArguments {
  readonly node: string;
  /** Where the node's files are. */
  readonly root: string;
  readonly engine: EngineName;
  readonly protocol: Protocol;
  readonly rollbackOnExit: boolean;
  readonly resyncIntervalMs: number;
  /** Where Profiles are; as shipped where it is not said. */
  readonly namespace?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The node may also be named by the environment, as a DaemonSet does. */
export function agentOptions(options: Options, env: Environment): AgentArguments {
  const node = options.node ?? env["NODE_NAME"];
  if (typeof node !== "string" || node === "") throw new Error("--node: name the node, or set NODE_NAME");
  return {
    node,
    root: String(options.root ?? "/"),
    engine: engineOption(options.engine ?? "auto"),
    protocol: protocolOption(options.protocol ?? "documented"),
    rollbackOnExit: options.rollbackOnExit === true,
    resyncIntervalMs: durationOption("--look-every", String(options.lookEvery ?? "10m")),
    ...(typeof options.namespace === "string" ? { namespace: options.namespace } : {}),
  };
}

/** The same from the words after `attune agent`, for containers of virtual nodes. */
export function agentArguments(words: readonly string[], env: Environment): AgentArguments {
  const { values } = parseArgs({
    args: [...words],
    options: {
      node: { type: "string" },
      root: { type: "string" },
      engine: { type: "string" },
      protocol: { type: "string" },
      namespace: { type: "string", short: "n" },
      "rollback-on-exit": { type: "boolean" },
      "look-every": { type: "string" },
    },
  });
  const { "rollback-on-exit": rollbackOnExit, "look-every": lookEvery, ...others } = values;
  return agentOptions({ ...others, rollbackOnExit, lookEvery }, env);
}
