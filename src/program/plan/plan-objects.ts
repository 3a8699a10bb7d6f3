import type { Client } from "../../cluster/kube/client.ts";
import { type ObjectFinding, mostSevereFirst } from "../../domain/finding.ts";
import { type Tuned, tuningNamespace } from "../../domain/node-tuning/api.ts";
import { performanceProfileKind } from "../../domain/performance-profile/api.ts";
import type { ChangePlan, PlannedWrite } from "../../domain/plan/change-plan.ts";
import type { PlannedRemoval } from "../../domain/plan/removals.ts";
import { type NodePoolChanges, nodePoolChanges } from "../../domain/plan/node-pools/node-pool-changes.ts";
import { nodePoolKind } from "../../domain/node-pool/api.ts";
import { Discovery } from "../../cluster/kube/discovery.ts";
import { type ClusterState, planChanges, type PlanResult, writesOnly } from "../../domain/plan/plan-changes.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../domain/scylla/api.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { gatherManagement } from "../gather/gather-management.ts";
import { type GatheredTuning, gatherNodeTuning, gatherPods, NoTuneds } from "../gather/gather-node-tuning.ts";
import { gatherDerived, gatherPlatform, gatherProfiles } from "../gather/gather-profiles.ts";
import { gatherRollout } from "../gather/gather-rollout.ts";
import { gatherScylla } from "../gather/gather-scylla.ts";
import { readOnlyClient } from "../gather/read-only-client.ts";
import type { Manifest } from "../manifest/read-manifests.ts";
import { type ApplyAs, dryRunAll, type Skipped } from "./dry-run.ts";

/** What applying or deleting objects would do. */
export interface PlanDocument extends ChangePlan {
  readonly skipped: readonly Skipped[];
}

export interface PlanObjects {
  readonly client: Client;
  readonly manifests: readonly Manifest[];
  /** For objects that name none. Default `default`. */
  readonly namespace?: string | undefined;
  /** Asks for server-side apply, instead of what `kubectl apply` sends. */
  readonly applyAs?: ApplyAs | undefined;
  /** Instead of applied, they are deleted. */
  readonly deletes?: boolean | undefined;
  readonly signal: AbortSignal;
}

export type PlannedObjects =
  | { readonly type: "plan"; readonly document: PlanDocument }
  /** What is wrong with the objects, each with its place. */
  | { readonly type: "refused"; readonly problems: readonly string[]; readonly isTaken?: boolean };

/** Asks for dry runs and computes what they lead to. Changes nothing. */
export async function planObjects(input: PlanObjects): Promise<PlannedObjects> {
  const { client, manifests, namespace = "default", applyAs, deletes, signal } = input;
  const reader = readOnlyClient(client);
  const now = Date.now();
  const isManagement = await hasNodePools(reader, signal);
  const [gathered, profiles] = await Promise.all([
    gatherNodeTuning({ client: reader, namespace: tuningNamespace, now, signal }).catch((error: unknown) => {
      // A management cluster may have no nodes to tune of its own.
      if (isManagement && error instanceof NoTuneds) return undefined;
      throw error;
    }),
    gatherProfiles(reader, signal),
  ]);
  const absent = [
    ...(gathered ? [] : ["Tuned"]),
    ...(gathered?.tuning.pools
      ? []
      : ["MachineConfigPool", "MachineConfig", "KubeletConfig", "ContainerRuntimeConfig"]),
    ...(profiles ? [] : [performanceProfileKind.kind]),
    ...(gathered?.features.scyllaNodeConfigs ? [] : scyllaKinds),
  ];
  const isHosted = gathered?.tuning.mirrored !== undefined;
  const { writes, removals, skipped, problems, isTaken } = await dryRunAll(reader, manifests, {
    namespace,
    absent,
    side: isManagement ? "management" : isHosted ? "hosted" : undefined,
    applyAs,
    deletes,
    signal,
  });
  if (problems.length > 0) return { type: "refused", problems, isTaken };

  const of = { client: reader, writes, removals, signal };
  const result: PlanResult = gathered
    ? planChanges({ writes, removals, cluster: await clusterState({ ...of, gathered, profiles: profiles ?? [] }) })
    : { type: "planned", plan: writesOnly(writes, removals) };
  if (result.type === "refused") return result;
  const touched = [...writes.map(({ after }) => after), ...removals.map(({ object }) => object)];
  const management = isManagement ? await gatherManagement(reader, touched, { now, signal }) : undefined;
  const {
    objects,
    nodePools,
    findings: found,
  } = management ? nodePoolChanges({ writes, removals }, management) : noNodePools;
  const { plan } = result;
  const findings = [...missingScylla(skipped, absent), ...found, ...plan.findings].toSorted(mostSevereFirst);
  const document = { ...plan, objects: [...plan.objects, ...objects], findings, skipped };
  return { type: "plan", document: nodePools.length > 0 ? { ...document, nodePools } : document };
}

const noNodePools: NodePoolChanges = { objects: [], nodePools: [], findings: [] };

/** Whether it is a management cluster of hosted control planes. */
export async function hasNodePools(client: Client, signal: AbortSignal): Promise<boolean> {
  const { apiVersion, kind } = nodePoolKind;
  return (await new Discovery(client).kind(apiVersion, kind, { signal })) !== undefined;
}

const scyllaKinds = [scyllaNodeConfigKind.kind, scyllaOperatorConfigKind.kind];

function missingScylla(skipped: readonly Skipped[], absent: readonly string[]): ObjectFinding[] {
  return skipped
    .filter(({ kind }) => scyllaKinds.includes(kind) && absent.includes(kind))
    .map(({ kind, name }) => ({
      severity: "warning",
      about: `${kind} ${name}`,
      message: "the cluster has no such kind: attune install --scylla adds it",
    }));
}

async function clusterState(input: {
  readonly client: Client;
  readonly gathered: GatheredTuning;
  readonly profiles: readonly KubeObject[];
  readonly writes: readonly PlannedWrite[];
  readonly removals: readonly PlannedRemoval[];
  readonly signal: AbortSignal;
}): Promise<ClusterState> {
  const { client, gathered, profiles, writes, removals, signal } = input;
  const { tuning, nodes, profiles: tuned, features } = gathered;
  const written = writes.map(({ after }) => after);
  const tuneds = written.filter(({ kind }) => kind === "Tuned") as Tuned[];
  const names = [...written, ...removals.map(({ object }) => object)]
    .filter(({ kind }) => kind === performanceProfileKind.kind)
    .map(({ metadata }) => metadata.name ?? "");
  return {
    nodes,
    profiles: tuned,
    performanceProfiles: profiles,
    ...(await gatherPlatform(client, signal)),
    derived: await gatherDerived(client, names, signal),
    scylla: await gatherScylla(client, features, signal),
    rollout: await gatherRollout(client, features, { namespace: tuning.namespace, signal }),
    // Tuneds that are derived from PerformanceProfiles never go by labels of pods.
    tuning: { ...tuning, podsOn: await gatherPods(client, [...tuning.tuneds, ...tuneds], { signal }) },
  };
}
