import { apiVersion, type MachineConfigPool } from "../machine-config/api.ts";
import type { Recommend, Tuned } from "../node-tuning/api.ts";
import type { TuningScope } from "../node-tuning/decide.ts";
import { defaultTunedName } from "../node-tuning/default-tuned.ts";
import type { NodeFacts } from "../node-tuning/node-profile.ts";
import { keys, nodePoolOf } from "./protocol.ts";

/** One scope for each NodePool with Tuneds or nodes, in the terms of a cluster with one pool. The first is of nodes without one. */
export function poolScopes(tuneds: readonly Tuned[], nodes: readonly NodeFacts[]): TuningScope[] {
  const shared = tuneds.filter(({ metadata }) => metadata.name === defaultTunedName);
  const own = byPool(
    tuneds.filter((tuned) => !shared.includes(tuned)),
    poolOfTuned,
  );
  const members = byPool(nodes, nodePoolOf);
  return [...new Set(["", ...own.keys(), ...members.keys()])].toSorted().map((name) => ({
    name,
    tuneds: [...shared, ...(own.get(name) ?? []).map((tuned) => inPool(tuned, name))],
    nodes: members.get(name) ?? [],
    pools: [poolFor(name)],
  }));
}

/** As `poolScopes`. Undefined in a cluster that is not hosted: no Tuned there is of a NodePool. */
export function hostedScopes(tuneds: readonly Tuned[], nodes: readonly NodeFacts[]): TuningScope[] | undefined {
  return tuneds.some((tuned) => poolOfTuned(tuned) !== undefined) ? poolScopes(tuneds, nodes) : undefined;
}

function byPool<T>(objects: readonly T[], poolOf: (object: T) => string | undefined): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const object of objects) {
    const pool = poolOf(object);
    if (pool === undefined) continue;
    const known = found.get(pool);
    if (known) known.push(object);
    else found.set(pool, [object]);
  }
  return found;
}

function poolOfTuned({ metadata: { labels } }: Tuned): string | undefined {
  return labels && Object.hasOwn(labels, keys.nodePoolName) ? labels[keys.nodePoolName] : undefined;
}

function inPool(tuned: Tuned, nodePool: string): Tuned {
  const recommend = tuned.spec?.recommend?.map((rule) => inPoolRule(rule, nodePool));
  return { ...tuned, spec: { ...tuned.spec, ...(recommend ? { recommend } : {}) } };
}

/** Every node gets it without a rule, and it has no boot arguments. */
const everywhere = "openshift-node";

/** A rule without `match` is for the whole NodePool, and the boot arguments of its profile too. Labels of pools mean nothing. */
function inPoolRule({ machineConfigLabels: _, ...rule }: Recommend, nodePool: string): Recommend {
  if (rule.match || rule.profile === everywhere || nodePool === "") return rule;
  return { ...rule, machineConfigLabels: { [keys.nodePoolName]: nodePool } };
}

function poolFor(nodePool: string): MachineConfigPool {
  return {
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: nodePool },
    spec: {
      nodeSelector: { matchLabels: { [keys.nodePool]: nodePool } },
      machineConfigSelector: { matchLabels: { [keys.nodePoolName]: nodePool } },
    },
  };
}
