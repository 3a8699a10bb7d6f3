import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { Discovery } from "../../../cluster/kube/discovery.ts";
import type { kinds } from "../../../cluster/kube/kinds.ts";
import { isGenerated, profileKind, tunedKind } from "../../../domain/node-tuning/api.ts";
import { defaultTunedName } from "../../../domain/node-tuning/default-tuned.ts";
import { statusConfigMapName } from "../../../domain/node-tuning/status/operator-status-object.ts";
import { isUnchangedDefault } from "../../../domain/scylla/config/decide-defaults.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { operatorLease } from "../../operator/rbac.ts";
import { ifThere } from "../../../cluster/kube/api-error.ts";
import { isOurs } from "../../../language/object/custom-definition.ts";
import { isDefinition } from "./decide-deletions.ts";
import { isOfRollout } from "./rollout-objects.ts";

type Definition = NonNullable<(typeof kinds.customResourceDefinition)["object"]>;

/** Objects of users that would be deleted with CRDs and namespaces, by the name of these. */
export async function usersObjects(
  client: Client,
  ours: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Map<string, KubeObject[]>> {
  const found = new Map<string, KubeObject[]>();
  for (const object of ours) {
    const { name = "" } = object.metadata;
    if (isDefinition(object)) found.set(name, await ofDefinition(client, object as Definition, signal));
    if (object.kind === "Namespace") found.set(name, await inNamespace(client, name, signal));
  }
  return found;
}

async function ofDefinition(client: Client, definition: Definition, signal: AbortSignal): Promise<KubeObject[]> {
  if (!definition.spec) return [];
  const { group, names, scope, versions } = definition.spec;
  const stored = versions.find(({ storage }) => storage)?.name;
  if (stored === undefined) return [];
  const { kind, plural } = names;
  const of: KindRef = { apiVersion: `${group}/${stored}`, kind, plural, namespaced: scope === "Namespaced" };
  const { items = [] } = (await ifThere(client.list(of, { signal }))) ?? {};
  return items.map((object) => ({ ...object, kind })).filter((object) => !isMadeByOperator(object));
}

/** Neither Attune's nor made by Kubernetes. */
async function inNamespace(client: Client, namespace: string, signal: AbortSignal): Promise<KubeObject[]> {
  const discovered = await new Discovery(client).all({ signal });
  const removable = discovered.filter(({ namespaced, verbs }) => namespaced && deletes.every((v) => verbs.includes(v)));
  const lists = await Promise.all(
    removable.map(async (of) => {
      const { items = [] } = (await ifThere(client.list(of, { namespace, signal }))) ?? {};
      return items.map((object) => ({ ...object, kind: of.kind }));
    }),
  );
  return lists.flat().filter((object) => !isIncidental(object) && !isMadeByOperator(object));
}

const deletes = ["list", "delete"];

/** Our own, what has an owner, and what Kubernetes and OpenShift put into every namespace. */
function isIncidental(object: KubeObject): boolean {
  const { kind, metadata } = object;
  const { name = "", ownerReferences = [], annotations = {} } = metadata;
  // Users may label all that they have for Attune as part of it. Of Tuneds only the default is not theirs.
  const isPart = isOurs(metadata) && kind !== tunedKind.kind;
  if (isPart || ownerReferences.length > 0 || kind === "Event") return true;
  if (kind === "ServiceAccount") return ["default", "builder", "deployer"].includes(name);
  if (kind === "ConfigMap") return ["kube-root-ca.crt", "openshift-service-ca.crt"].includes(name);
  if (kind === "RoleBinding") return name.startsWith("system:");
  return kind === "Secret" && annotations["kubernetes.io/service-account.name"] !== undefined;
}

/** Objects that the operator makes, and deletes or makes again by itself. */
function isMadeByOperator(object: KubeObject): boolean {
  const { kind, metadata } = object;
  const { name } = metadata;
  if (kind === profileKind.kind || (kind === "MachineConfig" && isGenerated(metadata)) || isOfRollout(object))
    return true;
  if (isUnchangedDefault(object)) return true;
  return (
    (kind === tunedKind.kind && name === defaultTunedName) ||
    (kind === "ConfigMap" && name === statusConfigMapName) ||
    (kind === "Lease" && name === operatorLease)
  );
}
