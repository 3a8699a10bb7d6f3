import type { PlanAnswer } from "../../protocol/answers.ts";
import { type Profile, profileKind } from "../../../src/domain/node-tuning/api.ts";
import { annotations } from "../../../src/domain/rollout/node-annotations.ts";
import { findCondition } from "../../../src/language/object/condition.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import type { RoleSets } from "../cpu-map/roles.ts";

/** What changes on a node when it gets something new. */
export interface NodeMark {
  /** The machine config that it has. */
  readonly config: string | undefined;
  /** Of the Profile that it should have. */
  readonly generation: number | undefined;
  /** Its agent has applied that Profile. */
  readonly isApplied: boolean;
}

/** What a plan says that a node gets anew. */
export interface NodeChanges {
  readonly profile: boolean;
  readonly config: boolean;
}

type Planned = Extract<PlanAnswer, { type: "plan" }>;

export interface AppliedProfile {
  readonly changes: (node: string) => NodeChanges;
  /** By name of the node, as it was when the plan was made. */
  readonly before: ReadonlyMap<string, NodeMark>;
  /** What the CPUs were for then. Undefined: no profile divided them. */
  readonly former: RoleSets | undefined;
}

export function changesOfNodes({ plan, reboots }: Planned): AppliedProfile["changes"] {
  return (node) => ({
    profile: plan.changes.some(({ nodes }) => nodes.includes(node)),
    config: reboots.includes(node),
  });
}

/** The same for each node of a NodePool: the management cluster does not know them by name. */
export function changesOfNodePool({ plan }: Planned, nodePool: string): AppliedProfile["changes"] {
  const change = plan.nodePools?.find((one) => one.nodePool === nodePool);
  return () => ({ profile: change?.tuning !== undefined, config: change?.rollout !== undefined });
}

export function marksOf(objects: readonly KubeObject[]): ReadonlyMap<string, NodeMark> {
  const profiles = new Map(
    objects.filter(({ kind }) => kind === profileKind.kind).map((one) => [one.metadata.name, one as Profile]),
  );
  return new Map(
    objects
      .filter(({ kind }) => kind === "Node")
      .map(({ metadata: { name = "", annotations: written } }) => {
        const { metadata, status } = profiles.get(name) ?? {};
        const generation = metadata?.generation;
        const isApplied =
          findCondition(status?.conditions, "Applied")?.status === "True" && status?.observedGeneration === generation;
        return [name, { config: written?.[annotations.currentConfig], generation, isApplied }];
      }),
  );
}

/**
 * Whether a node has what was applied. What it has looks the same before the operator has seen the change: a node that the plan
 * changes must have got another Profile, and one that it restarts another config.
 */
export function hasApplied(node: string, now: NodeMark, { changes, before }: AppliedProfile): boolean {
  const { profile, config } = changes(node);
  const then = before.get(node);
  return now.isApplied && !(profile && now.generation === then?.generation) && !(config && now.config === then?.config);
}
