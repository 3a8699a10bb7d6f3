import type { MachineConfigPool } from "../../../machine-config/api.ts";
import type { NodeFacts } from "../../../node-tuning/node-profile.ts";
import { at } from "../../../object/json.ts";
import type { KubeObject } from "../../../object/meta.ts";

const role = (name: string): string => `node-role.kubernetes.io/${name}`;

/**
 * A node as the pool will have them: with the labels that the pool selects by, and those that come with the role. A pool of
 * its own makes is one of workers, and a node that is alone does everything.
 */
export function nodeOfPool(
  { metadata: { name = "" }, spec }: MachineConfigPool,
  infrastructure?: KubeObject,
): NodeFacts {
  const isAlone = at(infrastructure, "status", "controlPlaneTopology") === "SingleReplica";
  const { matchLabels, matchExpressions } = spec?.nodeSelector ?? {};
  const labels: Record<string, string> = { "kubernetes.io/os": "linux" };
  if (name === "master") Object.assign(labels, { [role("control-plane")]: "", [role("master")]: "" });
  if (name !== "master" || isAlone) labels[role("worker")] = "";
  for (const { key, operator, values } of matchExpressions ?? [])
    if (operator === "In" || operator === "Exists") labels[key] = values?.[0] ?? "";
  Object.assign(labels, matchLabels);
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}
