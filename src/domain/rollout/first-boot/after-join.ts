import type { MachineConfig, MachineConfigPool } from "../../machine-config/api.ts";
import { poolOfRendering } from "../../machine-config/rendered-annotations.ts";
import type { NodeChange } from "../node-changes.ts";
import { agentAnnotations, annotations } from "../node-annotations.ts";
import type { RolloutNode } from "../rollout-node.ts";
import { startupTaint } from "../startup/startup-taint.ts";
import type { Invitation } from "./invitation.ts";

/** How long a claim is kept for a machine that has its config and has not joined yet. */
const claimedMs = 24 * 60 * 60 * 1000;

export interface AfterJoinInput {
  readonly invitation: Invitation;
  readonly node: RolloutNode | undefined;
  readonly pool: MachineConfigPool | undefined;
  /** The config of the claim. */
  readonly rendered: MachineConfig | undefined;
  readonly now: number;
}

/** What becomes of an invitation. */
export type AfterJoin =
  | { readonly type: "wait"; readonly ms: number }
  /** It is over: with what the Node gets from it, if its machine used it. */
  | { readonly type: "over"; readonly change: NodeChange | undefined };

/**
 * A node that joins with the config that was served to it is told exactly that one: it has it already, so that this costs no
 * drain and no boot. A newer config of its pool comes as an ordinary update. Pods wait until its agent has tuned it.
 */
export function afterJoin({ invitation, node, pool, rendered, now }: AfterJoinInput): AfterJoin {
  const { claim, created, expires } = invitation;
  const ends = expires + (claim ? claimedMs : 0);
  // A user that issues tokens can write a claim too: it says nothing of a Node that was there before, and names no config of another pool.
  const isNew = node && Date.parse(node.metadata.creationTimestamp ?? "") >= created;
  const config = claim && rendered && poolOfRendering(rendered) === invitation.pool ? claim.config : "";
  if (node) return { type: "over", change: isNew && claim ? joined(node, config, pool) : undefined };
  return now < ends ? { type: "wait", ms: ends - now } : { type: "over", change: undefined };
}

/** `config` is empty where the pool had none, or has it no more: then the node gets the one that the pool has. */
function joined(node: RolloutNode, config: string, pool: MachineConfigPool | undefined): NodeChange {
  const { labels = {}, annotations: present = {} } = node.metadata;
  const wanted = pool?.spec?.nodeSelector?.matchLabels ?? {};
  const isMember = Object.entries(wanted).every(([name, value]) => labels[name] === value);
  const { taints = [] } = node.spec ?? {};
  // Its agent may have been faster.
  const isTuned = present[agentAnnotations.tunedBoot] !== undefined;
  const isTold = present[annotations.desiredConfig] !== undefined;
  return {
    node,
    annotations: {
      ...(config === "" ? {} : { [annotations.firstPivotConfig]: config }),
      ...(config === "" || isTold ? {} : { [annotations.desiredConfig]: config }),
      ...(isMember ? {} : { [annotations.customPoolLabelsApplied]: "" }),
    },
    ...(isMember ? {} : { labels: wanted }),
    ...(isTuned ? {} : { taints: [...taints.filter(({ key }) => key !== startupTaint.key), startupTaint] }),
  };
}
