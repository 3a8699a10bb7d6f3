import type { KubeObject } from "../../../language/object/meta.ts";
import type { ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import { readTuneds } from "../../hosted/mirror/read-tuneds.ts";
import { poolScopes } from "../../hosted/pool-rules.ts";
import { plainTuned, poolFor } from "../../hosted/profiles/pool-terms.ts";
import { type EnvelopedProfile, envelopedProfile, machineConfigLabelsOf } from "../../hosted/profiles/read-envelope.ts";
import { keys, nodePoolOf } from "../../hosted/protocol.ts";
import {
  containerRuntimeConfigKind,
  kubeletConfigKind,
  machineConfigKind,
  type MachineConfigPool,
} from "../../machine-config/api.ts";
import { type Tuned, tuningNamespace } from "../../node-tuning/api.ts";
import { defaultTuned } from "../../node-tuning/default-tuned.ts";
import { apiVersion, type PerformanceProfile, performanceProfileKind } from "../../performance-profile/api.ts";
import { controlPlaneOf, type NodePool } from "../api.ts";
import { pauseOf } from "../pause.ts";
import { managementOf } from "../rollout/management.ts";
import { lastPayload } from "../rollout/target.ts";

export interface OnePoolInput {
  readonly nodePool: NodePool;
  /** That it has now. */
  readonly profile: PerformanceProfile | undefined;
  /** ConfigMaps of its control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  /** Its nodes. */
  readonly nodes: readonly KubeObject[];
  /** The pool by which the hosted cluster rolls it out, where nodes are updated in place. */
  readonly pool: MachineConfigPool | undefined;
  readonly now: number;
}

/**
 * A NodePool as a cluster with one pool, by the functions of both operators: the pool, its nodes and its profile, the Tuneds
 * with the names and rules that they have there, and the configs that its nodes were told to have.
 */
export function asOnePool({ nodePool, profile, controlPlane, nodes, pool, now }: OnePoolInput): readonly KubeObject[] {
  const { name = "" } = nodePool.metadata;
  const enveloped = envelopedFor(nodePool, profile);
  const own = controlPlane.filter((one) => nodePoolOf(one) === name);
  const found = poolFor(enveloped, pool);
  const { maxUnavailable } = managementOf(nodePool);
  const paused = pauseOf(nodePool, now).isPaused;
  const selected = { ...enveloped.spec?.nodeSelector };
  const onePool = { ...found, spec: { ...found.spec, maxUnavailable, paused } };
  const { kind, metadata, spec } = enveloped;
  return [
    onePool,
    ...(profile
      ? [{ apiVersion: enveloped.apiVersion, kind, metadata: { ...profile.metadata, name: metadata.name }, spec }]
      : []),
    ...nodes.map((node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...selected } },
    })),
    ...tunedsOf(name, own, machineConfigLabelsOf(enveloped)),
    ...(lastPayload(name, own) ?? []).flatMap((object) => inPool(object, enveloped, onePool)),
  ];
}

/** Without one, the profile that a person is about to write: nodes are selected by the NodePool, whatever it says. */
function envelopedFor(nodePool: NodePool, profile: PerformanceProfile | undefined): EnvelopedProfile {
  const { name = "", namespace = "" } = nodePool.metadata;
  const mark = { [keys.nodePool]: `${namespace}/${name}` };
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: controlPlaneOf(nodePool), annotations: mark },
  };
  const none = { apiVersion, kind: performanceProfileKind.kind, metadata: { name } };
  return envelopedProfile(configMap, profile ?? none, () => undefined);
}

function tunedsOf(nodePool: string, own: readonly ConfigMap[], labels: Record<string, string>): readonly Tuned[] {
  const mirrored = Array.from(readTuneds(own, tuningNamespace).mirrored.values(), ({ tuned }) => tuned);
  const scope = poolScopes(mirrored, []).find((one) => one.name === nodePool);
  return [
    defaultTuned(tuningNamespace),
    ...(scope?.tuneds ?? [])
      .flatMap((tuned) => plainTuned(tuned, nodePool))
      .map((tuned) => ({
        ...tuned,
        spec: {
          ...tuned.spec,
          recommend: tuned.spec?.recommend?.map((rule) =>
            rule.machineConfigLabels ? { ...rule, machineConfigLabels: labels } : rule,
          ),
        },
      })),
  ];
}

/** Selected by its pool, whatever its author wrote. Policies of images stay the same. */
function inPool(object: KubeObject, profile: EnvelopedProfile, { metadata }: MachineConfigPool): KubeObject[] {
  switch (object.kind) {
    case machineConfigKind.kind:
      return [{ ...object, metadata: { ...object.metadata, labels: machineConfigLabelsOf(profile) } }];
    case kubeletConfigKind.kind:
    case containerRuntimeConfigKind.kind:
      return [
        {
          ...object,
          spec: { ...(object["spec"] as object), machineConfigPoolSelector: { matchLabels: metadata.labels } },
        },
      ];
    default:
      return [];
  }
}
