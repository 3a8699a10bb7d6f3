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

export interface AppliedProfile {
  readonly planned: Extract<PlanAnswer, { type: "plan" }>;
  /** By name of the node, as it was when the plan was made. */
  readonly before: ReadonlyMap<string, NodeMark>;
  /** What the CPUs were for then. Undefined: no profile divided them. */
  readonly former: RoleSets | undefined;
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
export function hasApplied(node: string, now: NodeMark, { planned, before }: AppliedProfile): boolean {
  const { plan, reboots } = planned;
  const then = before.get(node);
  const isTuned = plan.changes.some(({ nodes }) => nodes.includes(node));
  return (
    now.isApplied &&
    !(isTuned && now.generation === then?.generation) &&
    !(reboots.includes(node) && now.config === then?.config)
  );
}
