import { isApiError, ifThere } from "../../cluster/kube/api-error.ts";
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
}

/** The stored version first. */
const versions = ["v2", "v1", "v1alpha1"].map((version) => `${performanceGroup}/${version}`);

/** Kinds that the operator decides by, and how kubectl patches them. */
const planned: readonly { readonly ref: KindRef; readonly patch: "merge" | "strategic" }[] = [
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

export interface DryRunOptions {
  /** For objects that name none. */
  readonly namespace: string;
  /** Kinds that the cluster does not have. */
  readonly absent?: readonly string[];
  /** A hosted cluster: its Tuneds are copies. */
  readonly mirrorsTuneds?: boolean | undefined;
  /** Server-side apply as this manager, instead of what `kubectl apply` sends. */
  readonly applyAs?: string | undefined;
  /** The objects are to be deleted. */
  readonly deletes?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Asks the API server what `kubectl apply` would store for each object, or whether `kubectl delete` may delete it. */
export async function dryRunAll(
  client: Client,
  manifests: readonly Manifest[],
  { namespace, absent = [], mirrorsTuneds = false, applyAs, deletes = false, signal }: DryRunOptions,
): Promise<DryRuns> {
  const writes: PlannedWrite[] = [];
  const removals: PlannedRemoval[] = [];
  const skipped: Skipped[] = [];
  const problems: string[] = [];
  const places = new Map<string, string>();
  for (const { place, object } of manifests) {
    const { kind, metadata } = object;
    const name = metadata.name ?? "";
    const of = planned.find(({ ref }) => ref.kind === kind && ref.apiVersion === object.apiVersion);
    if (!of || absent.includes(kind)) {
      skipped.push({ place, kind, name, because: of ? "the cluster has no such kind" : whySkipped(object) });
      continue;
    }
    if (kind === tunedKind.kind && mirrorsTuneds && name !== defaultTunedName) {
      skipped.push({ place, kind, name, because: fromNodePools });
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
      }
  }
  return { writes, removals, skipped, problems };
}

const fromNodePools =
  "Tuneds of a hosted cluster come from its NodePools: put it into a ConfigMap of the management cluster";

function whySkipped({ apiVersion, kind }: KubeObject): string {
  const known = planned.find(({ ref }) => ref.kind === kind);
  return known && known.ref.apiVersion !== apiVersion
    ? `only ${known.ref.apiVersion} is supported`
    : "not used for tuning";
}

async function dryRun(
  client: Client,
  { ref, patch: type }: (typeof planned)[number],
  object: KubeObject,
  { applyAs, signal }: Pick<DryRunOptions, "applyAs" | "signal">,
): Promise<Omit<PlannedWrite, "place">> {
  const { name = "", namespace } = object.metadata;
  const options = { namespace, dryRun: true, fieldValidation: "Strict", fieldManager: "attune-plan", signal } as const;
  const before = await ifThere(client.get(ref, name, { namespace, signal }));
  if (applyAs !== undefined) {
    const manager = { ...options, fieldManager: applyAs };
    return { before, after: await client.patch(ref, name, { type: "apply", object }, manager) };
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
