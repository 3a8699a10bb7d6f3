import { annotations, ownAnnotations, ownPrefix } from "./node-annotations.ts";
import { type NodeChange, NodeChanges, updateTaint } from "./node-changes.ts";
import { phaseOf } from "./node-progress.ts";
import type { NodeState } from "./node-state.ts";
import type { RolloutNode } from "./rollout-node.ts";
import { startupTaint } from "./startup/startup-taint.ts";

/**
 * Removes what rollouts left on a node that is in no pool any more. It keeps the config that it has, and the annotations that
 * name it. An update that has begun is finished: between two configs it could not stay.
 */
export function leavePools(changes: NodeChanges, state: NodeState): void {
  const { node, update, isDone } = state;
  for (const taint of [updateTaint, startupTaint]) changes.taint(node, taint, false);
  changes.conflict(node, undefined);
  if (node.metadata.annotations?.[ownAnnotations.progress] !== undefined)
    changes.annotate(node, ownAnnotations.progress, null);
  if (isDone || update.desired === "" || update.desired === update.current) return;
  const phase = phaseOf(state);
  if (phase !== "Told" && phase !== "Failed") return;
  if (update.current === "") changes.forget(node);
  else changes.annotate(node, annotations.desiredConfig, update.current);
}

const { currentImage, desiredImage, ...ofRollouts } = annotations;
const protocol: readonly string[] = Object.values(ofRollouts);

/** Removes everything that rollouts of Attune wrote; `rolledOut`: no machine config operator shares the annotations of updates. */
export function forgetRollouts(node: RolloutNode, rolledOut: boolean): NodeChange | undefined {
  const changes = new NodeChanges();
  const present = node.metadata.annotations ?? {};
  for (const name of Object.keys(present))
    if (name.startsWith(ownPrefix) || (rolledOut && protocol.includes(name))) changes.annotate(node, name, null);
  changes.taint(node, startupTaint, false);
  if (rolledOut) {
    changes.taint(node, updateTaint, false);
    changes.conflict(node, undefined);
  }
  if (present[ownAnnotations.cordonedFor] !== undefined) changes.uncordon(node);
  return changes.all[0];
}
