import { parseArgs } from "node:util";

export interface AgentArguments {
  readonly node: string;
  /** Where the node's files are. */
  readonly root: string;
  readonly engine: "auto" | "native" | "tuned";
}

/** The words after `attune agent`. The node may also be named by the environment, as a DaemonSet does. */
export function agentArguments(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AgentArguments {
  const { values } = parseArgs({
    args: [...words],
    options: {
      node: { type: "string" },
      root: { type: "string", default: "/" },
      engine: { type: "string", default: "auto" },
    },
  });
  const node = values.node ?? env["NODE_NAME"];
  if (!node) throw new Error("--node: name the node, or set NODE_NAME");
  const { engine } = values;
  if (engine !== "auto" && engine !== "native" && engine !== "tuned")
    throw new Error(`--engine ${engine}: not one of auto, native, tuned`);
  return { node, root: values.root, engine };
}
