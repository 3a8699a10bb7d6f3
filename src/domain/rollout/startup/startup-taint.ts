import { type Condition, findCondition } from "../../../language/object/condition.ts";
import type { Member } from "../candidates.ts";
import { listed } from "../nearby-nodes.ts";
import { agentAnnotations, ownPrefix } from "../node-annotations.ts";
import type { RolloutNode, Taint } from "../rollout-node.ts";

/** On nodes that restart or join, until their agents have tuned them. */
export const startupTaint = { key: `${ownPrefix}not-tuned`, effect: "NoSchedule" } satisfies Taint;

/**
 * Whether a node was restarted, or may be restarting, and is not tuned since: no pod should be scheduled to it. A node that no
 * agent has ever tuned is such a node only if it joined with the taint. `tunedBoot`: the boot in which its agent has tuned it.
 */
export function isUntuned(
  node: RolloutNode,
  tunedBoot = node.metadata.annotations?.[agentAnnotations.tunedBoot],
): boolean {
  if (tunedBoot === undefined) return node.spec?.taints?.some(({ key }) => key === startupTaint.key) ?? false;
  const { bootID } = node.status?.nodeInfo ?? {};
  return !isUp(node) || (bootID !== undefined && bootID !== tunedBoot);
}

function isUp({ status }: RolloutNode): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "True";
}

/** Of a pool with nodes that are back, and whose agent has not tuned them. */
export function notTuned(members: readonly Pick<Member, "state">[]): Partial<Condition> {
  const nodes = members.filter(({ state: { node } }) => isUp(node) && isUntuned(node)).map(({ state }) => state.name);
  if (nodes.length === 0) return { status: "False" };
  const message = `No pods are scheduled to nodes that were restarted until their agents have tuned them: ${listed(nodes.toSorted())}. Where that takes long, look at the pods of the DaemonSet of Attune's agents`;
  return { status: "True", reason: "AgentsNotReady", message };
}
