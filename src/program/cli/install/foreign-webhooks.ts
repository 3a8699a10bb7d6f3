import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { attuneHandlers } from "../../webhook/attune-handlers.ts";
import type { AdmissionRule } from "../../webhook/handler.ts";
import { configurationName } from "../../webhook/registration.ts";

/** By name: those of all handlers, also of handlers that this cluster does not need. */
function ownRules(client: Client): Map<string, readonly AdmissionRule[]> {
  const { handlers } = attuneHandlers(client, { namespace: "", scyllaGateImage: "" });
  return new Map(
    handlers.admission.flatMap(({ name, type, rules, entries }) =>
      type === "validating" ? entries.map(({ suffix = "" }) => [`${name}${suffix}.attune.dev`, rules] as const) : [],
    ),
  );
}

/**
 * Removes webhooks from Attune's configuration that Attune does not register, or that have other rules: a stolen token of the
 * webhook may have added them. A running webhook registers its own again. Returns the names of those removed.
 */
export async function removeForeignWebhooks(
  client: Client,
  { dryRun, signal }: { readonly dryRun?: boolean | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  const ref = kinds.validatingWebhookConfiguration;
  const found = await ifThere(client.get(ref, configurationName, { signal }));
  const webhooks = found?.webhooks ?? [];
  const own = ownRules(client);
  const kept = webhooks.filter(({ name, rules = [] }) => own.has(name) && targets(rules) === targets(own.get(name)!));
  if (!found || kept.length === webhooks.length) return [];
  // With the version that was read: a registration in between is not lost.
  const patch = { metadata: { resourceVersion: found.metadata.resourceVersion ?? null }, webhooks: kept as never };
  await client.patch(ref, configurationName, { type: "merge", patch }, { dryRun, signal });
  return webhooks.filter((one) => !kept.includes(one)).map(({ name }) => name);
}

function targets(rules: readonly { apiGroups?: readonly string[]; resources?: readonly string[] }[]): string {
  return JSON.stringify(rules.map(({ apiGroups, resources }) => [apiGroups, resources]));
}
