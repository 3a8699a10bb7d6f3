import { isAlreadyExists, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import type { ControllerRevision } from "../workload-objects.ts";
import { newRevision, sameData, type Revised, type TemplateOwner } from "./controller-revision.ts";
import { decideRevision } from "./decide-revision.ts";

export interface CurrentRevision {
  revision: ControllerRevision;
  /** How often another template was found under the name; to be kept in status. */
  collisions: number;
}

const deletionsAtOnce = 8;

/** The revision of the owner's template, which then is there and the newest. */
export async function currentRevision(
  client: Client,
  of: Revised,
  owner: TemplateOwner,
  revisions: readonly ControllerRevision[],
  signal: AbortSignal,
): Promise<CurrentRevision> {
  const collisions = owner.status?.collisionCount ?? 0;
  const { type, revision } = decideRevision(of, owner, revisions);
  if (type === "there") return { revision, collisions };
  if (type === "create") return createRevision(client, of, owner, revision, signal);
  const { namespace } = owner.metadata;
  return { revision: await client.update(kinds.controllerRevision, revision, { namespace, signal }), collisions };
}

/** Under a name that is free. One with the same content that is there already, unseen by the cache, is it. */
async function createRevision(
  client: Client,
  of: Revised,
  owner: TemplateOwner,
  wanted: ControllerRevision,
  signal: AbortSignal,
): Promise<CurrentRevision> {
  let revision = wanted;
  for (let collisions = owner.status?.collisionCount ?? 0; ; collisions++) {
    const { name = "", namespace } = revision.metadata;
    try {
      return { revision: await client.create(kinds.controllerRevision, revision, { namespace, signal }), collisions };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const there = await client.get(kinds.controllerRevision, name, { namespace, signal });
      if (sameData(there, revision)) return { revision: there, collisions };
    }
    revision = newRevision(of, owner, wanted.revision, collisions + 1);
  }
}

/** Those that another has forgotten already count. */
export async function forgetRevisions(
  client: Client,
  revisions: readonly ControllerRevision[],
  signal: AbortSignal,
): Promise<void> {
  await forEachBounded(revisions, deletionsAtOnce, async ({ metadata: { name = "", namespace, uid } }) => {
    try {
      await client.delete(kinds.controllerRevision, name, { namespace, preconditions: { uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  });
}
