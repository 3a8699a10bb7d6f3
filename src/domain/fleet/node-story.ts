import { explainNode, type Found, type NodeExplanation } from "../node-tuning/explain/explain-node.ts";
import type { NodeTuningInput } from "../node-tuning/decide.ts";
import { answersOf, traitsOf } from "../node-tuning/known-nodes.ts";
import type { Profile } from "../node-tuning/api.ts";
import type { PerformanceProfile } from "../performance-profile/api.ts";
import { type ProfileOfNode, profilesOfNode } from "../performance-profile/of-node.ts";
import { findingsOf, type NodeUpdate, updateOf } from "../rollout/node-annotations.ts";
import { nodeWaits } from "../rollout/node-waits.ts";
import type { RolloutNode } from "../rollout/rollout-node.ts";

export interface NodeStoryInput {
  /** What the operator decides by. */
  readonly tuning: NodeTuningInput;
  /** Whole, where the operator keeps a projection. */
  readonly node: RolloutNode;
  /** With the reports of the agent. */
  readonly profile: Profile | undefined;
  readonly performanceProfiles: readonly PerformanceProfile[];
  /** The values that the node has, where they could be read. */
  readonly found?: Found | undefined;
}

/** Why a node is as it is: its tuning, and what machine configuration does on it. */
export type NodeStory = NodeExplanation & {
  /** Absent: no pool configures it. */
  readonly machineConfig?: NodeUpdate | undefined;
  /** What keeps the node from having the config of its pool. */
  readonly waits?: readonly string[] | undefined;
  /** What the node cannot have of its config. */
  readonly findings?: readonly string[] | undefined;
  readonly performanceProfiles?: readonly ProfileOfNode[] | undefined;
};

/** `tuning` has the node too: undefined if it does not. */
export function nodeStory(input: NodeStoryInput): NodeStory | undefined {
  const { tuning, node: whole, profile, performanceProfiles, found } = input;
  const { name = "", labels = {} } = whole.metadata;
  const node = tuning.nodes.find(({ metadata }) => metadata.name === name);
  if (!node) return undefined;
  const traits = traitsOf([whole], profile ? [profile] : []);
  const answers = answersOf((of) => traits.get(of))(name);
  const machineConfig = updateOf(whole.metadata);
  const isConfigured = machineConfig.current !== "" || machineConfig.desired !== "";
  return {
    ...explainNode({ ...tuning, node, answers, found }),
    ...(isConfigured ? { machineConfig } : {}),
    waits: nodeWaits(whole, tuning.pools ?? []),
    findings: findingsOf(whole.metadata),
    performanceProfiles: profilesOfNode(labels, performanceProfiles),
  };
}
