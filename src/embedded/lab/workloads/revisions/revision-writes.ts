import { isAlreadyExists, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import type { ControllerRevision } from "../workload-objects.ts";
import { newRevision, sameData, type Revised, type TemplateOwner } from "./controller-revision.ts";
import { decideRevision } from "./decide-revision.ts";

export interface CurrentRevision {
  revision: ControllerRevision;
  /** How often the name was taken by another template: `status.collisionCount`. */
  collisions: number;
}

const maxConcurrentDeletions = 8;

interface RevisionInput {
  client: Client;
  of: Revised;
  owner: TemplateOwner;
  /** All revisions of the owner. */
  revisions: readonly ControllerRevision[];
  signal: AbortSignal;
}

/** Makes the revision of the owner's template the newest one, and creates it if necessary. */
export async function currentRevision(input: RevisionInput): Promise<CurrentRevision> {
  const { client, of, owner, revisions, signal } = input;
  const collisions = owner.status?.collisionCount ?? 0;
  const { type, revision } = decideRevision(of, owner, revisions);
  if (type === "exists") return { revision, collisions };
  if (type === "create") return createRevision(input, revision);
  const { namespace } = owner.metadata;
  return { revision: await client.update(kinds.controllerRevision, revision, { namespace, signal }), collisions };
}

/** Under a free name. A revision with the same data that the cache does not show yet is used as it is. */
async function createRevision(
  { client, of, owner, signal }: RevisionInput,
  wanted: ControllerRevision,
): Promise<CurrentRevision> {
  let revision = wanted;
  for (let collisions = owner.status?.collisionCount ?? 0; ; collisions++) {
    const { name = "", namespace } = revision.metadata;
    try {
      return { revision: await client.create(kinds.controllerRevision, revision, { namespace, signal }), collisions };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const existing = await client.get(kinds.controllerRevision, name, { namespace, signal });
      if (sameData(existing, revision)) return { revision: existing, collisions };
    }
    revision = newRevision(of, owner, wanted.revision, collisions + 1);
  }
}

/** Deletes revisions. Ones that are gone already count as deleted. */
export async function deleteRevisions(
  client: Client,
  revisions: readonly ControllerRevision[],
  signal: AbortSignal,
): Promise<void> {
  await forEachBounded(revisions, maxConcurrentDeletions, async ({ metadata: { name = "", namespace, uid } }) => {
    try {
      await client.delete(kinds.controllerRevision, name, { namespace, preconditions: { uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  });
}
