import type { MachineConfigPool } from "../../machine-config/api.ts";
import { textsOf } from "./cluster-node.ts";
import type { NodeGroup } from "./node-groups.ts";

/** How a profile says which nodes it is for. */
export type Target =
  | {
      readonly type: "target";
      readonly nodeSelector: Readonly<Record<string, string>>;
      readonly poolSelector?: Readonly<Record<string, string>>;
    }
  | { readonly type: "refused"; readonly reason: string };

export function targetOf({ type, name, pool }: NodeGroup, pools: readonly MachineConfigPool[] = []): Target {
  // Node pools of a hosted cluster are told apart by where the profile is referred to, not by what it selects.
  if (type === "node pool") return { type: "target", nodeSelector: { "node-role.kubernetes.io/worker": "" } };
  if (type === "role" || !pool) return { type: "target", nodeSelector: { [`node-role.kubernetes.io/${name}`]: "" } };
  const nodeSelector = textsOf(pool.spec?.nodeSelector?.matchLabels);
  if (Object.keys(nodeSelector).length === 0)
    return {
      type: "refused",
      reason: `pool ${name}: a profile can select its nodes only by spec.nodeSelector.matchLabels`,
    };
  const poolSelector = ownLabel(pool, pools);
  if (!poolSelector)
    return { type: "refused", reason: `pool ${name}: give it a label that no other pool has, such as pool=${name}` };
  return { type: "target", nodeSelector, poolSelector };
}

/** A label that tells a pool from the others, if possible one that names it. */
function ownLabel(pool: MachineConfigPool, pools: readonly MachineConfigPool[]): Record<string, string> | undefined {
  const { name = "" } = pool.metadata;
  const others = pools.filter(({ metadata }) => metadata.name !== name).map(({ metadata }) => textsOf(metadata.labels));
  const own = Object.entries(textsOf(pool.metadata.labels))
    .filter(([key, value]) => !others.some((labels) => Object.hasOwn(labels, key) && labels[key] === value))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const [key, value] = own.find(([one]) => one.endsWith(name)) ?? own[0] ?? [];
  return key === undefined || value === undefined ? undefined : { [key]: value };
}
