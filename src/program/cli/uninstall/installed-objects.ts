import { setMaxListeners } from "node:events";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { formatLabelSelector, fromLabelSelector } from "../../../language/object/label-selector.ts";
import { agentAccess } from "../../../domain/scylla/config/agent-access.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { operatorLabels, operatorName } from "../../operator/deployment.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import { kindOf } from "../../../cluster/kube/manifest-kinds.ts";
import { installManifests, managementManifests } from "../install/manifests.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";

export interface InstalledObjects {
  /** In the order in which they are deleted. */
  readonly ours: readonly KubeObject[];
  /** Objects with a name of Attune's, but without its label. */
  readonly others: readonly KubeObject[];
}

/** Reads every object that `attune install` makes with any of its options. */
export async function installedObjects(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<InstalledObjects> {
  setMaxListeners(0, signal);
  await checkNamespace(client, namespace, signal);
  const found = await Promise.all(possibleObjects(namespace).map((object) => observed(client, object, signal)));
  const present = found.filter((object) => object !== undefined);
  return {
    ours: present.filter(({ metadata }) => isOurs(metadata)),
    others: present.filter(({ metadata }) => !isOurs(metadata)),
  };
}

/**
 * With another namespace, the rights of a running operator would be deleted, and the operator would stay. A Deployment of its
 * name in a second namespace, which any user may create, does not keep it installed.
 */
async function checkNamespace(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  const labelSelector = formatLabelSelector(fromLabelSelector({ matchLabels: operatorLabels }));
  const { items } = await client.list(kinds.deployment, { labelSelector, signal });
  const operators = items.filter(({ metadata }) => metadata.name === operatorName);
  const [elsewhere] = operators.some(({ metadata }) => metadata.namespace === namespace) ? [] : operators;
  if (elsewhere)
    throw new Error(
      `uninstall: Attune is installed in the namespace ${elsewhere.metadata.namespace}: pass --namespace ${elsewhere.metadata.namespace}`,
    );
}

/** What each option adds, without duplicates; last what is needed longest. */
function possibleObjects(namespace: string): KubeObject[] {
  const most = { mode: "standalone", protocol: "shipped", firstBoot: "any", monitoring: true } as const;
  const all = [
    // Deleted after the operator has lost its right to make them again.
    agentAccess(),
    installManifests({ ...most, namespace, isOpenShift: true, scylla: true, console: true }),
    installManifests({ namespace, mode: "auto", monitoring: true, isOpenShift: false }),
    managementManifests({ namespace }),
  ].flat();
  const byName = new Map(all.map((object) => [nameOf(object), object]));
  // The API server asks a registered webhook, also when it is gone.
  const isWebhook = ({ kind }: KubeObject): boolean => kind.endsWith("WebhookConfiguration");
  const reversed = [...byName.values()].toReversed();
  const last = ["CustomResourceDefinition", "Namespace"];
  const rank = (object: KubeObject): number => (isWebhook(object) ? -1 : 1 + last.indexOf(object.kind));
  return reversed.toSorted((a, b) => rank(a) - rank(b));
}

async function observed(client: Client, object: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
  const { name = "", namespace } = object.metadata;
  const { apiVersion, kind } = object;
  const found = await ifThere(client.get(kindOf(object), name, { namespace, signal }));
  return found && { ...found, apiVersion, kind };
}

/** `Deployment attune-system/attune-operator` */
export function nameOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
