import { group } from "../machine-config/api.ts";
import type { ObjectMeta } from "../../language/object/meta.ts";

const named = (name: string): string => `${group}/${name}`;

/** Annotations of a Node by which operator and agent agree on an update. */
export const annotations = {
  /** By the agent: the rendered config that the node has, verified. */
  currentConfig: named("currentConfig"),
  /** By the operator: the rendered config that the node should have. */
  desiredConfig: named("desiredConfig"),
  /** By the agent: see `UpdateState`. */
  state: named("state"),
  /** By the agent: why the state is what it is; empty when done. */
  reason: named("reason"),
  /** By the agent: `drain-<config>` or `uncordon-<config>`. */
  desiredDrain: named("desiredDrain"),
  /** By the operator: the last `desiredDrain` that it has carried out. */
  lastAppliedDrain: named("lastAppliedDrain"),
  /** By the agent: `Rebooting` from the request to boot until the next start. */
  postConfigAction: named("post-config-action"),
} as const;

/** Those an agent may write, on its own Node only. */
export const writtenByAgent: readonly string[] = [
  annotations.currentConfig,
  annotations.state,
  annotations.reason,
  annotations.desiredDrain,
  annotations.postConfigAction,
];

export type UpdateState = "Done" | "Working" | "Degraded" | "Unreconcilable";

/** The annotations of one node. Absent ones are empty. */
export interface NodeUpdate {
  readonly current: string;
  readonly desired: string;
  /** Empty until an agent has reported. Other values than those of `UpdateState` may come from other agents. */
  readonly state: string;
  readonly reason: string;
  readonly desiredDrain: string;
  readonly lastAppliedDrain: string;
  readonly isRebooting: boolean;
}

export function updateOf(metadata: Pick<ObjectMeta, "annotations">): NodeUpdate {
  const read = (name: string): string => metadata.annotations?.[name] ?? "";
  return {
    current: read(annotations.currentConfig),
    desired: read(annotations.desiredConfig),
    state: read(annotations.state),
    reason: read(annotations.reason),
    desiredDrain: read(annotations.desiredDrain),
    lastAppliedDrain: read(annotations.lastAppliedDrain),
    isRebooting: read(annotations.postConfigAction) === "Rebooting",
  };
}
