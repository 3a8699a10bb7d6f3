import { machineConfigPoolKind, type MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type Profile, profileKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { projectRolloutNode, type RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import type { CacheDefinition } from "../user-caches.ts";

/** Nodes without heartbeats, images and annotations of others. */
export const nodeCache: CacheDefinition<RolloutNode> = {
  kind: kinds.node,
  project: projectRolloutNode,
};

/** Profiles without texts, hardware and the results of settings. */
export const profileCache: CacheDefinition<Profile> = {
  kind: profileKind,
  namespace: tuningNamespace,
  project: ({ apiVersion, kind, metadata: { name, namespace, uid, generation }, spec, status }) => {
    const { hardware: _h, settings: _s, hostProfiles: _p, answers: _a, ...rest } = status ?? { tunedProfile: "" };
    return {
      apiVersion,
      kind,
      metadata: { name, namespace, uid, generation },
      spec: { config: spec.config },
      ...(status ? { status: rest } : {}),
    };
  },
};

export const poolCache: CacheDefinition<MachineConfigPool> = { kind: machineConfigPoolKind };
