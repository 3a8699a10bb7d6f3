import type { Protocol } from "../../../domain/node-tuning/api.ts";

/** `auto` goes by what the cluster has; `standalone` insists on machine config pools; `plain` uses none. */
export type OperatorMode = "auto" | "standalone" | "plain";

export function operatorMode(mode: unknown): OperatorMode {
  if (mode === "auto" || mode === "standalone" || mode === "plain") return mode;
  if (mode === "hosted") throw new Error("--mode hosted: not there yet; auto, standalone and plain are");
  throw new Error(`--mode ${String(mode)}: not one of auto, standalone, plain`);
}

export function protocolOption(protocol: unknown): Protocol {
  if (protocol === "documented" || protocol === "shipped") return protocol;
  throw new Error(`--protocol ${String(protocol)}: either documented or shipped`);
}
