import type { DesignedNodePool, DesignRow } from "../../../../console/protocol/topics.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { ConfigMap } from "../../../domain/hosted/envelope/read-manifests.ts";
import { poolMark } from "../../../domain/hosted/rollout/ordered-pool.ts";
import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { apiVersion, controlPlaneOf, nodePoolKind } from "../../../domain/node-pool/api.ts";
import type { GivenProfile } from "../../../domain/node-pool/design/given-profile.ts";
import { asOnePool } from "../../../domain/node-pool/design/one-pool.ts";
import { tuningReferences } from "../../../domain/node-pool/references.ts";
import { managementOf } from "../../../domain/node-pool/rollout/management.ts";
import { previewObject } from "../../../domain/plan/preview-objects.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import { platformCaches, profileCache } from "./design-caches.ts";
import { poolCache } from "./fleet-caches.ts";
import {
  type FoundNodePool,
  foundNodePools,
  nodePoolSides,
  type NodePoolSide,
  withConfigMaps,
} from "./node-pool-sides.ts";
import type { TopicContext } from "./topic-context.ts";

interface Side extends NodePoolSide {
  readonly pools: Informer<MachineConfigPool>;
  readonly profiles: Informer;
  readonly platform: readonly Informer[];
}

/** What a preview of a profile for one NodePool depends on, in the terms of a cluster with one pool. */
export function openNodePoolDesign(context: TopicContext<"design/">): void {
  const sides = nodePoolSides(context).map((side): Side => {
    const { follow } = side;
    return Object.assign(side, {
      pools: follow(poolCache),
      profiles: follow(profileCache),
      platform: platformCaches.map((one) => follow(one)),
    });
  });
  const compute = (): void => {
    const more = withConfigMaps(sides);
    if (more.length > 0) return context.follow(more, compute);
    const all = foundNodePools(sides);
    const found = all.find(({ nodePool }) => keyOf(nodePool) === context.argument);
    context.replace(found ? rowsOf(found, { all, now: context.clock.now() }) : new Map());
  };
  const caches = sides.flatMap(({ nodePools, nodes, pools, profiles, platform }) => [
    nodePools,
    nodes,
    pools,
    profiles,
    ...platform,
  ]);
  context.follow(caches, compute);
}

function rowsOf(
  found: FoundNodePool,
  { all, now }: { readonly all: readonly FoundNodePool[]; readonly now: number },
): ReadonlyMap<string, DesignRow> {
  const { nodePool, management, nodes, given } = found;
  const hosted = found.hosted as Side | undefined;
  const { name = "", namespace } = nodePool.metadata;
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const ordered = hosted?.pools.get(name);
  const inNamespace = (wanted: string | undefined): readonly ConfigMap[] =>
    management.configMaps?.list().filter(({ metadata }) => metadata.namespace === wanted) ?? [];
  const objects = [
    ...asOnePool({
      nodePool,
      profile: given?.profile,
      controlPlane: inNamespace(controlPlaneOf(nodePool)),
      nodes,
      pool: ordered?.metadata.labels?.[poolMark] === undefined ? undefined : ordered,
      now,
    }).map(previewObject),
    ...(hosted?.profiles.list().filter(({ metadata }) => names.has(metadata.name)) ?? []),
    ...(hosted?.platform.flatMap((cache) => cache.list()) ?? []),
  ];
  const designed: DesignedNodePool = {
    management: management.name,
    hosted: hosted?.name,
    replaces: managementOf(nodePool).upgradeType === "Replace",
    nodePool: ownObject({ ...nodePool, apiVersion, kind: nodePoolKind.kind }),
    given: given && writtenIn(given),
    taken: inNamespace(namespace).map(({ metadata }) => metadata.name ?? ""),
    sharing: given
      ? all
          .filter(({ nodePool: other }) => other !== nodePool && other.metadata.namespace === namespace)
          .filter(({ nodePool: other }) => tuningReferences(other).includes(given.place.configMap))
          .map(({ nodePool: other }) => other.metadata.name ?? "")
      : [],
  };
  return new Map([
    ...objects.map((object): [string, DesignRow] => [
      `${object.kind}/${object.metadata.namespace ?? ""}/${object.metadata.name}`,
      { object },
    ]),
    ["cluster", { facts: { hasPools: true, rollsOut: true, designed } }],
  ]);
}

/** Other keys may have files of MachineConfigs, which are confidential. */
function writtenIn({ configMap, place }: GivenProfile): NonNullable<DesignedNodePool["given"]> {
  const { [place.key]: text = "", ...others } = configMap.data ?? {};
  const object = ownObject({ ...configMap, apiVersion: "v1", kind: "ConfigMap" });
  return { configMap: { ...object, data: { [place.key]: text } }, place, otherKeys: Object.keys(others) };
}

/** As its author has it. */
function ownObject({
  status: _,
  metadata: { name, namespace, labels, annotations },
  ...object
}: KubeObject): KubeObject {
  const metadata = { name, namespace, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return { ...object, apiVersion: object.apiVersion, kind: object.kind, metadata };
}
