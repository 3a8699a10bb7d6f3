import { ifThere, isApiError, isConflict } from "../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import {
  containerRuntimeConfigKind,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../domain/machine-config/api.ts";
import { tunedKind } from "../../domain/node-tuning/api.ts";
import { defaultTunedName } from "../../domain/node-tuning/default-tuned.ts";
import { get, isObject, type Json, set } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { readLastApplied } from "../../language/patch/last-applied.ts";
import { group as performanceGroup, performanceProfileKind } from "../../domain/performance-profile/api.ts";
import type { ConfigMap } from "../../domain/hosted/envelope/read-manifests.ts";
import { tuningKeys } from "../../domain/hosted/protocol.ts";
import { hostedClusterKind, nodePoolKind } from "../../domain/node-pool/api.ts";
import type { PlannedRemoval } from "../../domain/plan/removals.ts";
import type { PlannedWrite } from "../../domain/plan/change-plan.ts";
import { scyllaNodeConfigKind, scyllaOperatorConfigKind } from "../../domain/scylla/api.ts";
import type { Manifest } from "../manifest/read-manifests.ts";

export interface Skipped {
  readonly place: string;
  readonly kind: string;
  readonly name: string;
  readonly because: string;
}

export interface DryRuns {
  readonly writes: readonly PlannedWrite[];
  readonly removals: readonly PlannedRemoval[];
  readonly skipped: readonly Skipped[];
  readonly problems: readonly string[];
  /** Nothing but other managers of the fields is in the way. */
  readonly isTaken: boolean;
}

/** The stored version first. */
const versions = ["v2", "v1", "v1alpha1"].map((version) => `${performanceGroup}/${version}`);

interface PlannedKind {
  readonly ref: KindRef;
  /** How kubectl patches it. */
  readonly patch: "merge" | "strategic";
}

/** By which the management side decides. */
const managed: readonly PlannedKind[] = [
  { ref: nodePoolKind, patch: "merge" },
  { ref: hostedClusterKind, patch: "merge" },
  { ref: kinds.configMap, patch: "strategic" },
];

/** By which the operator decides. */
const tuned: readonly PlannedKind[] = [
  { ref: tunedKind, patch: "merge" },
  { ref: machineConfigPoolKind, patch: "merge" },
  { ref: machineConfigKind, patch: "merge" },
  { ref: kubeletConfigKind, patch: "merge" },
  { ref: containerRuntimeConfigKind, patch: "merge" },
  { ref: scyllaNodeConfigKind, patch: "merge" },
  { ref: scyllaOperatorConfigKind, patch: "merge" },
  { ref: kinds.runtimeClass, patch: "strategic" },
  { ref: kinds.node, patch: "strategic" },
  ...versions.map((apiVersion) => ({ ref: { ...performanceProfileKind, apiVersion }, patch: "merge" as const })),
];

export interface ApplyAs {
  readonly manager: string;
  /** Sets fields of other managers too, as an edit does. */
  readonly takesOver: boolean;
}

export interface DryRunOptions {
  /** For objects that name none. */
  readonly namespace: string;
  /** Kinds that the cluster does not have. */
  readonly absent?: readonly string[];
  /** What hosted control planes have to do with the cluster. `hosted`: its Tuneds are copies. */
  readonly side?: "management" | "hosted" | undefined;
  /** Server-side apply, instead of what `kubectl apply` sends. */
  readonly applyAs?: ApplyAs | undefined;
  /** The objects are to be deleted. */
  readonly deletes?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Asks the API server what `kubectl apply` would store for each object, or whether `kubectl delete` may delete it. */
export async function dryRunAll(
  client: Client,
  manifests: readonly Manifest[],
  { namespace, absent = [], side, applyAs, deletes = false, signal }: DryRunOptions,
): Promise<DryRuns> {
  const writes: PlannedWrite[] = [];
  const removals: PlannedRemoval[] = [];
  const skipped: Skipped[] = [];
  const problems: string[] = [];
  const places = new Map<string, string>();
  let conflicts = 0;
  for (const { place, object } of manifests) {
    const { kind, metadata } = object;
    const name = metadata.name ?? "";
    const known = side === "management" ? [...tuned, ...managed] : tuned;
    const of = known.find(({ ref }) => ref.kind === kind && ref.apiVersion === object.apiVersion);
    const because = whySkipped(object, { of, isAbsent: absent.includes(kind), side });
    if (!of || because !== undefined) {
      skipped.push({ place, kind, name, because: because ?? "" });
      continue;
    }
    const target = of.ref.namespaced ? { ...object, metadata: { namespace, ...metadata } } : object;
    const id = JSON.stringify([kind, target.metadata.namespace, name]);
    const twice = places.get(id);
    places.set(id, place);
    if (twice !== undefined) problems.push(`${place}: ${kind} ${name} is already defined in ${twice}`);
    else
      try {
        if (!deletes) writes.push({ place, ...(await dryRun(client, of, target, { applyAs, signal })) });
        else {
          const found = await dryRunDelete(client, of.ref, target, signal);
          if (found) removals.push({ place, object: found });
          else skipped.push({ place, kind, name, because: "the cluster does not have it" });
        }
      } catch (error) {
        if (!isApiError(error) || error.code === 0 || error.code === 401) throw error;
        problems.push(`${place}: ${error.message}`);
        if (applyAs && isConflict(error)) conflicts++;
      }
  }
  return { writes, removals, skipped, problems, isTaken: conflicts > 0 && conflicts === problems.length };
}

const fromNodePools =
  "a hosted cluster gets it from its NodePools: put it into a ConfigMap of the management cluster that a NodePool names in spec.tuningConfig";
const onManagement =
  "NodePools and the ConfigMaps that they name are in the management cluster: pass its --context or --kubeconfig";

interface Found {
  readonly of: PlannedKind | undefined;
  readonly isAbsent: boolean;
  readonly side: DryRunOptions["side"];
}

/** Undefined: it is planned. */
function whySkipped(object: KubeObject, { of, isAbsent, side }: Found): string | undefined {
  const { apiVersion, kind, metadata } = object;
  const isTuning = kind === tunedKind.kind || kind === performanceProfileKind.kind;
  if (of && isTuning && (side === "hosted" ? metadata.name !== defaultTunedName : side && isAbsent))
    return fromNodePools;
  if (of) return isAbsent ? "the cluster has no such kind" : undefined;
  const known = tuned.find(({ ref }) => ref.kind === kind);
  if (known && known.ref.apiVersion !== apiVersion) return `only ${known.ref.apiVersion} is supported`;
  return isForNodePools(object) ? onManagement : "not used for tuning";
}

/** Whether only a management cluster has a use for it. */
export function isForNodePools(object: KubeObject): boolean {
  const { apiVersion, kind, data } = object as ConfigMap;
  if (kind === kinds.configMap.kind) return tuningKeys.some((key) => typeof data?.[key] === "string");
  return managed.some(({ ref }) => ref.kind === kind && ref.apiVersion === apiVersion);
}

async function dryRun(
  client: Client,
  { ref, patch: type }: PlannedKind,
  object: KubeObject,
  { applyAs, signal }: Pick<DryRunOptions, "applyAs" | "signal">,
): Promise<Omit<PlannedWrite, "place">> {
  const { name = "", namespace } = object.metadata;
  const options = { namespace, dryRun: true, fieldValidation: "Strict", fieldManager: "attune-plan", signal } as const;
  const before = await ifThere(client.get(ref, name, { namespace, signal }));
  if (applyAs !== undefined) {
    const manager = { ...options, fieldManager: applyAs.manager };
    return {
      before,
      after: await client.patch(ref, name, { type: "apply", object, force: applyAs.takesOver }, manager),
    };
  }
  if (!before) return { after: await client.create(ref, object, options) };
  // kubectl keeps its own annotation there, so that it never removes those of other clients.
  const metadata = { ...object.metadata, annotations: object.metadata.annotations ?? {} };
  const patch = withRemovals(readLastApplied(before), { ...object, metadata } as unknown as Json);
  return { before, after: await client.patch(ref, name, { type, patch }, options) };
}

/** The object, which may be deleted; undefined if it is not there. */
async function dryRunDelete(
  client: Client,
  ref: KindRef,
  { metadata: { name = "", namespace } }: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const found = await ifThere(client.get(ref, name, { namespace, signal }));
  if (found) await client.delete(ref, name, { namespace, dryRun: true, signal });
  return found && { ...found, apiVersion: ref.apiVersion, kind: ref.kind };
}

/** A merge patch that sets what is wanted and removes what was applied last time and is no longer wanted. */
export function withRemovals(applied: unknown, wanted: Json): Json {
  if (!isObject(wanted) || !isObject(applied)) return wanted;
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(applied)) if (!Object.hasOwn(wanted, key)) set(patch, key, null);
  for (const [key, value] of Object.entries(wanted)) set(patch, key, withRemovals(get(applied, key), value));
  return patch;
}
