import type { MachineConfigPool } from "../../../../domain/machine-config/api.ts";
import type { NodeFacts } from "../../../../domain/node-tuning/node-profile.ts";
import { at } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";

const role = (name: string): string => `node-role.kubernetes.io/${name}`;

/** Pools whose nodes are no workers, unless they are alone. Those that users make are of workers. */
const controlPlane = ["master", "arbiter"];

/** A node as the pool will have them: with the labels that it selects by, and those that come with its role. */
export function nodeOfPool(
  { metadata: { name = "" }, spec }: MachineConfigPool,
  infrastructure?: KubeObject,
): NodeFacts {
  const isAlone = at(infrastructure, "status", "controlPlaneTopology") === "SingleReplica";
  const { matchLabels, matchExpressions } = spec?.nodeSelector ?? {};
  const labels: Record<string, string> = { "kubernetes.io/os": "linux" };
  if (name === "master") Object.assign(labels, { [role("control-plane")]: "", [role("master")]: "" });
  if (!controlPlane.includes(name) || isAlone) labels[role("worker")] = "";
  for (const { key, operator, values } of matchExpressions ?? [])
    if (operator === "In" || operator === "Exists") labels[key] = values?.[0] ?? "";
  Object.assign(labels, matchLabels);
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}
