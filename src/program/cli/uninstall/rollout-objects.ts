import { ifThere } from "../../../cluster/kube/api-error.ts";
import type { KindRef } from "../../../cluster/kube/client.ts";
import {
  type MachineConfigPool,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../../domain/machine-config/api.ts";
import { builtInPool, builtInPools } from "../../../domain/rollout/built-in-pools.ts";
import { poolOfRendering } from "../../../domain/machine-config/rendered-annotations.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { isDefinition } from "./decide-deletions.ts";
import type { Deletion } from "./delete-objects.ts";

/** What a rollout made: rendered configs, and the pools that it created and no user has changed. */
export function isOfRollout(object: KubeObject): boolean {
  if (object.kind === machineConfigKind.kind) return poolOfRendering(object) !== undefined;
  const { name = "" } = object.metadata;
  if (object.kind !== machineConfigPoolKind.kind || !builtInPools.includes(name)) return false;
  const { configuration: _, ...spec } = (object as MachineConfigPool).spec ?? {};
  return equal(spec, builtInPool(name).spec);
}

/** Deletes them where the CRDs are ours: elsewhere another operator made them. */
export async function deleteRolloutObjects(ours: readonly KubeObject[], deletion: Deletion): Promise<void> {
  for (const of of [machineConfigPoolKind, machineConfigKind]) {
    const [group] = of.apiVersion.split("/");
    if (ours.some((one) => isDefinition(one) && one.metadata.name === `${of.plural}.${group}`))
      await deleteOf(of, deletion);
  }
}

async function deleteOf(of: KindRef, { client, dryRun, signal, deleted }: Deletion): Promise<void> {
  const { items = [] } = (await ifThere(client.list(of, { signal }))) ?? {};
  for (const object of items.map((one) => ({ ...one, kind: of.kind })).filter(isOfRollout)) {
    const { name = "", uid } = object.metadata;
    await ifThere(client.delete(of, name, { preconditions: { uid }, dryRun, signal }));
    deleted(object);
  }
}
