import type { PlannedObject } from "../../../language/object/plan.ts";
import type { NodeFacts } from "../../node-tuning/node-profile.ts";
import { keys, nodePoolOf } from "../protocol.ts";

export interface NodeLabels {
  readonly objects: readonly PlannedObject[];
  /** By which Profiles are decided: each with the label of its NodePool, whatever the hosted cluster has at the moment. */
  readonly nodes: readonly NodeFacts[];
}

/**
 * Reverts the NodePool label of Nodes: otherwise users of the hosted cluster could move a node to the tuning of another
 * NodePool. `memberOf` comes from the management cluster; a node that it does not know stays as it is.
 */
export function nodeLabels(nodes: readonly NodeFacts[], memberOf: (node: string) => string | undefined): NodeLabels {
  const objects: PlannedObject[] = [];
  const labelled = nodes.map((node) => {
    const { name = "" } = node.metadata;
    const nodePool = memberOf(name);
    if (nodePool === undefined) return node;
    const label = { [keys.nodePool]: nodePool };
    objects.push({
      owns: "fields",
      object: { apiVersion: "v1", kind: "Node", metadata: { name, labels: label } },
      because: `its machine belongs to NodePool ${nodePool}`,
    });
    if (nodePoolOf(node) === nodePool) return node;
    return { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...label } } };
  });
  return { objects, nodes: labelled };
}
