import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { isObject } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { AdmissionHandler } from "./handler.ts";

const conditionsIn = (webhooks: unknown): number =>
  (Array.isArray(webhooks) ? webhooks : []).filter((webhook) => isObject(webhook) && webhook.matchConditions).length;

/**
 * Whether the API server keeps the conditions of this configuration. Before Kubernetes 1.28 it drops them, and would send
 * every pod of the cluster. A dry run tells: versions do not, since feature gates can switch conditions off.
 */
export async function keepsConditions(
  { client, kind, signal }: { readonly client: Client; readonly kind: KindRef; readonly signal: AbortSignal },
  { metadata, webhooks }: KubeObject,
): Promise<boolean> {
  if (conditionsIn(webhooks) === 0) return true;
  const patch = { type: "merge", patch: { webhooks } } as const;
  const options = { dryRun: true, fieldValidation: "Ignore", signal } as const;
  const stored = await client.patch<KubeObject>(kind, metadata.name ?? "", patch, options);
  return conditionsIn(stored.webhooks) === conditionsIn(webhooks);
}

/** Without the entries that must not be called for more than their conditions select. */
export function withoutConditions(handlers: readonly AdmissionHandler[]): AdmissionHandler[] {
  return handlers.map((handler) => ({
    ...handler,
    entries: handler.entries.filter(({ matchConditions }) => matchConditions === undefined),
  }));
}
