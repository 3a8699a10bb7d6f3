import type { NodeFacts } from "../../../../domain/node-tuning/node-profile.ts";
import { at } from "../../../../language/object/json.ts";
import type { MachineConfigPool } from "../../../../domain/machine-config/api.ts";
import { type Tuned, tuningNamespace } from "../../../../domain/node-tuning/api.ts";
import type { ChosenNode } from "../../../../domain/node-tuning/boot/boot-arguments.ts";
import { judge } from "../../../../domain/node-tuning/judge.ts";
import type { Pools } from "../../../../domain/machine-config/pools.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";

export interface PoolQuestion {
  readonly pool: MachineConfigPool;
  readonly pools: readonly MachineConfigPool[];
  readonly tuneds: readonly Tuned[];
  readonly infrastructure: KubeObject | undefined;
}

export type PoolChoice =
  | { readonly type: "chosen"; readonly node: ChosenNode; readonly pools: Pools }
  /** The operator would not tune its nodes. */
  | { readonly type: "nothing"; readonly why: string }
  | { readonly type: "refused"; readonly why: string };

/** The profile that the operator would choose for the nodes of a pool. */
export function chooseForPool({ pool, pools: all, tuneds, infrastructure }: PoolQuestion): PoolChoice {
  const node = nodeOfPool(pool, infrastructure);
  const { managementState, pools, texts, chosen } = judge({
    tuneds,
    nodes: [node],
    profiles: [],
    pools: all,
    agent: { release: "" },
    protocol: "documented",
    namespace: tuningNamespace,
  });
  if (pools.ofNode(node.metadata.labels ?? {})[0] !== pool.metadata.name)
    return { type: "refused", why: "its nodeSelector does not determine the labels of its nodes" };
  if (managementState !== "Managed") return { type: "nothing", why: `the Tuned default is ${managementState}` };
  const [one] = chosen;
  if (!one) return { type: "nothing", why: "no rule matches its nodes" };
  const [first] = one.passedOver;
  if (first) return { type: "refused", why: `Tuned ${first.rule.tuned} ${first.because}` };
  const { profile } = one.node.choice.rule.recommend;
  if (one.undecided)
    return {
      type: "refused",
      why: `the Tuneds define these profiles differently: ${texts.neededBy(profile).conflicts.join(", ")}`,
    };
  return { type: "chosen", node: one.node, pools };
}

const role = (name: string): string => `node-role.kubernetes.io/${name}`;

/** Pools whose nodes are no workers, except on a cluster with a single node. Custom pools consist of workers. */
const controlPlane = ["master", "arbiter"];

/** A node of the pool: with the labels that the pool selects by, and those of its role. */
function nodeOfPool({ metadata: { name = "" }, spec }: MachineConfigPool, infrastructure?: KubeObject): NodeFacts {
  const isSingleNode = at(infrastructure, "status", "controlPlaneTopology") === "SingleReplica";
  const { matchLabels, matchExpressions } = spec?.nodeSelector ?? {};
  const labels: Record<string, string> = { "kubernetes.io/os": "linux" };
  if (name === "master") Object.assign(labels, { [role("control-plane")]: "", [role("master")]: "" });
  if (!controlPlane.includes(name) || isSingleNode) labels[role("worker")] = "";
  for (const { key, operator, values } of matchExpressions ?? [])
    if (operator === "In" || operator === "Exists") labels[key] = values?.[0] ?? "";
  Object.assign(labels, matchLabels);
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}
