import type { NodeStoryInput } from "../../domain/fleet/node-story.ts";
import type { ProfileSpec } from "../../domain/node-tuning/api.ts";
import { scopeOfNode } from "../../domain/node-tuning/explain/explain-node.ts";
import { judge } from "../../domain/node-tuning/judge.ts";
import { gatherNodeTuning, gatherPods, type Gathering } from "../gather/gather-node-tuning.ts";
import { gatherProfiles } from "../gather/gather-profiles.ts";

/** Reads what explains one node, once. Undefined: the cluster has no such node. */
export async function gatherNode(name: string, gathering: Gathering): Promise<NodeStoryInput | undefined> {
  const { client, signal } = gathering;
  const { tuning, nodes, profiles } = await gatherNodeTuning(gathering);
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (!node) return undefined;
  const podsOn = await gatherPods(client, tuning.tuneds, { node: name, signal });
  return {
    tuning: { ...tuning, podsOn },
    node,
    profile: profiles.find(({ metadata }) => metadata.name === name),
    performanceProfiles: (await gatherProfiles(client, signal)) ?? [],
  };
}

/** The profile that the node should have. Undefined: none. */
export function wantedSpec({ tuning, node }: NodeStoryInput): ProfileSpec | undefined {
  const { name = "" } = node.metadata;
  const scope = scopeOfNode(tuning, name);
  const [chosen] = judge({ ...scope, nodes: scope.nodes.filter(({ metadata }) => metadata.name === name) }).chosen;
  if (!chosen) return undefined;
  const { wanted, observed } = chosen.node;
  return chosen.undecided && observed ? observed.spec : wanted.spec;
}
