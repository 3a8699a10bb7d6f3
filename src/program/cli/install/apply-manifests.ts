import { isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds, untyped } from "../../../cluster/kube/kinds.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { monitoringApiVersion } from "../../operator/monitoring.ts";

const admission = "admissionregistration.k8s.io/v1";

const refs = new Map<string, KindRef>(
  [
    kinds.customResourceDefinition,
    kinds.namespace,
    kinds.serviceAccount,
    kinds.role,
    kinds.roleBinding,
    kinds.clusterRole,
    kinds.clusterRoleBinding,
    kinds.service,
    kinds.secret,
    kinds.configMap,
    kinds.mutatingWebhookConfiguration,
    kinds.validatingWebhookConfiguration,
    kinds.deployment,
    untyped(admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", false),
    untyped(admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", false),
    untyped("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", true),
    untyped(monitoringApiVersion, "ServiceMonitor", "servicemonitors", true),
    untyped(monitoringApiVersion, "PrometheusRule", "prometheusrules", true),
  ].map((ref) => [ref.kind, ref]),
);

export type Applied = "created" | "changed" | "unchanged";

export interface ApplyOptions {
  /** Nothing is stored. */
  readonly dryRun?: boolean | undefined;
  readonly onApplied?: ((object: KubeObject, what: Applied) => void) | undefined;
}

/** Server-side apply, as `kubectl apply --server-side`: a second run changes nothing. */
export async function applyManifests(
  client: Client,
  manifests: readonly KubeObject[],
  signal?: AbortSignal,
  { dryRun = false, onApplied }: ApplyOptions = {},
): Promise<void> {
  const onlyPlanned = new Set<string>();
  for (const object of manifests) {
    const ref = kindOf(object);
    const { name = "", namespace } = object.metadata;
    // A dry run does not create the namespace, and the API server refuses objects in a missing one.
    if (namespace !== undefined && onlyPlanned.has(namespace)) {
      onApplied?.(object, "created");
      continue;
    }
    const before = onApplied ? await observed(client, ref, object, signal) : undefined;
    if (dryRun && ref === kinds.namespace && !before) onlyPlanned.add(name);
    const patch = { type: "apply", object, force: true } as const;
    const answer = await client.patch(ref, name, patch, { namespace, fieldManager: "attune", dryRun, signal });
    onApplied?.(object, outcome(before, answer));
  }
}

export function kindOf({ kind, metadata }: KubeObject): KindRef {
  const ref = refs.get(kind);
  if (!ref) throw new Error(`apply ${kind} ${metadata.name}: attune install has no such kind`);
  return ref;
}

async function observed(
  client: Client,
  ref: KindRef,
  { metadata: { name = "", namespace } }: KubeObject,
  signal?: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref, name, { namespace, signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Compares without managed fields and status: a change of those is no change of the manifest. */
function outcome(before: KubeObject | undefined, after: KubeObject): Applied {
  if (!before) return "created";
  return equal(contentOf(before), contentOf(after)) ? "unchanged" : "changed";
}

function contentOf({ metadata, status: _, ...rest }: KubeObject): object {
  const { labels, annotations } = metadata;
  return { ...rest, labels, annotations };
}
