import { machineConfigPoolKind, type MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Profile, profileKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import type { NodeFacts } from "../../../domain/node-tuning/node-profile.ts";
import { projectNode, SharedTexts, withoutReports } from "../../../domain/node-tuning/projections.ts";
import { projectRolloutNode, type RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import { hashOf } from "../../../language/object/hash.ts";
import type { CacheDefinition } from "../user-caches.ts";

/** What a rollout and node tuning read of a Node: without heartbeats, images and annotations of others. */
export type FleetNode = RolloutNode & NodeFacts;

export const nodeCache: CacheDefinition<RolloutNode, FleetNode> = {
  kind: kinds.node,
  project: (node) => {
    const facts = projectNode(node as NodeFacts);
    const rollout = projectRolloutNode(node);
    const annotations = { ...facts.metadata.annotations, ...rollout.metadata.annotations };
    return {
      ...rollout,
      metadata: { ...rollout.metadata, annotations },
      spec: { ...facts.spec, ...rollout.spec },
    } as FleetNode;
  },
};

/** A Profile without the reports of its agent. */
export interface FleetProfile extends Profile {
  /** Nodes with equal hardware have equal ones. Absent: not reported. */
  readonly layout?: string | undefined;
}

export const profileCache: CacheDefinition<Profile, FleetProfile> = {
  kind: profileKind,
  namespace: tuningNamespace,
  projector: () => {
    const texts = new SharedTexts();
    return (profile) => projectProfile(texts.project(profile));
  },
};

function projectProfile(profile: Profile): FleetProfile {
  const { hardware, exceptions, bootcmdlinePending } = profile.status ?? {};
  const { metadata, status, ...kept } = withoutReports(profile);
  const { name, namespace, uid, generation, annotations } = metadata;
  return {
    ...kept,
    metadata: { name, namespace, uid, generation, ...(annotations ? { annotations } : {}) },
    ...(status ? { status: { ...status, exceptions, bootcmdlinePending } } : {}),
    ...(hardware ? { layout: hashOf([hardware.numaNodes, hardware.offline]) } : {}),
  };
}

export const poolCache: CacheDefinition<MachineConfigPool> = { kind: machineConfigPoolKind };
