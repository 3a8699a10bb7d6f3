import type { MachineConfigPool } from "../../../../domain/machine-config/api.ts";
import { type Tuned, tuningNamespace } from "../../../../domain/node-tuning/api.ts";
import type { ChosenNode } from "../../../../domain/node-tuning/boot/boot-arguments.ts";
import { judge } from "../../../../domain/node-tuning/judge.ts";
import type { Pools } from "../../../../domain/node-tuning/pools.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { nodeOfPool } from "./node-of-pool.ts";

export interface PoolQuestion {
  readonly pool: MachineConfigPool;
  readonly pools: readonly MachineConfigPool[];
  readonly tuneds: readonly Tuned[];
  readonly infrastructure?: KubeObject;
}

export type PoolChoice =
  | { readonly type: "chosen"; readonly node: ChosenNode; readonly pools: Pools }
  /** The operator would leave its nodes alone. */
  | { readonly type: "nothing"; readonly why: string }
  | { readonly type: "refused"; readonly why: string };

/** Which profile the nodes of a pool get, as the operator will decide once there are any. */
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
    return { type: "refused", why: "nobody can tell from its nodeSelector which labels its nodes have" };
  if (managementState !== "Managed") return { type: "nothing", why: `the Tuned default is ${managementState}` };
  const [one] = chosen;
  if (!one) return { type: "nothing", why: "no rule holds for its nodes" };
  const { profile } = one.node.choice.rule.recommend;
  if (one.undecided)
    return { type: "refused", why: `there are several texts of ${texts.neededBy(profile).conflicts.join(", ")}` };
  return { type: "chosen", node: one.node, pools };
}
