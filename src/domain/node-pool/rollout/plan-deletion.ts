import type { KubeObject } from "../../../language/object/meta.ts";
import { type ObjectReference, referenceTo } from "../../../language/object/plan.ts";
import { type ConfigMap } from "../../hosted/envelope/read-manifests.ts";
import { isNote } from "../../hosted/notes.ts";
import { contentOf, group, nodePoolOf } from "../../hosted/protocol.ts";
import type { NodePool } from "../api.ts";
import type { MachineProvider } from "../machine-provider.ts";
import { isOf } from "./payload-secrets.ts";
import type { Secret } from "./rollout-plan.ts";

/** On a NodePool: what was made for it is gone before it is. */
export const finalizer = `${group}/finalizer`;

export interface DeletionInput {
  readonly nodePool: NodePool;
  /** ConfigMaps and Secrets of the control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  readonly secrets: readonly Secret[];
  readonly provider?: MachineProvider | undefined;
  readonly machines: readonly KubeObject[];
}

export interface Deletion {
  readonly prunes: readonly ObjectReference[];
  /** What is still there, each as `Kind name`. Empty: the finalizer can go. */
  readonly remaining: readonly string[];
}

/** What was made for a NodePool that is being deleted. Machines need their Secrets until they are gone. */
export function planDeletion({ nodePool, controlPlane, secrets, provider, machines }: DeletionInput): Deletion {
  const { name = "" } = nodePool.metadata;
  const configMaps = controlPlane.filter((one) => nodePoolOf(one) === name && isOurs(one));
  const ofProvider = provider?.remains(nodePool, machines) ?? [];
  const ofMachines = secrets.filter((secret) => isOf(secret, nodePool.metadata));
  const remaining = [...configMaps, ...ofProvider, ...ofMachines];
  const prunes = [
    ...configMaps.map(referenceTo),
    ...ofProvider,
    ...(ofProvider.length > 0 ? [] : ofMachines.map(referenceTo)),
  ];
  return { prunes, remaining: remaining.map(({ kind, metadata }) => `${kind} ${metadata.name}`) };
}

/** A ConfigMap with our label and no mark of ours is of another owner. */
export function isOurs(configMap: Pick<ConfigMap, "metadata">): boolean {
  return contentOf(configMap) !== undefined || isNote(configMap);
}
