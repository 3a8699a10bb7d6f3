import { isAlreadyExists } from "../../../kube/api-error.ts";
import type { Client, KindRef } from "../../../kube/client.ts";
import { kinds } from "../../../kube/kinds.ts";
import type { ControllerRevision } from "../workload-objects.ts";
import { newRevision, sameData, type TemplateOwner } from "./controller-revision.ts";

export interface CreatedRevision {
  revision: ControllerRevision;
  /** How often another template was found under the name; to be kept in status. */
  collisions: number;
}

/** Makes a revision. One with the same content that is there already, unseen by the cache, is it. */
export async function createRevision(
  client: Client,
  ofKind: KindRef,
  owner: TemplateOwner,
  wanted: ControllerRevision,
  { collisions, signal }: { collisions: number; signal?: AbortSignal },
): Promise<CreatedRevision> {
  let revision = wanted;
  for (let count = collisions; ; count++) {
    const { name = "", namespace } = revision.metadata;
    try {
      const created = await client.create(kinds.controllerRevision, revision, { namespace, signal });
      return { revision: created, collisions: count };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const there = await client.get(kinds.controllerRevision, name, { namespace, signal });
      if (sameData(there, revision)) return { revision: there, collisions: count };
    }
    revision = newRevision(ofKind, owner, wanted.revision, count + 1);
  }
}
