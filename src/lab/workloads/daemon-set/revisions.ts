import { kinds } from "../../../kube/kinds.ts";
import { equal } from "../../../object/json.ts";
import { controllerReference } from "../pods/controller-of.ts";
import { templateHash } from "../pods/template-hash.ts";
import type { ControllerRevision, DaemonSet } from "../workload-objects.ts";
import { revisionLabel } from "./daemon-pod.ts";

export interface RevisionsDecision {
  /** Of the template as it is. */
  hash: string;
  /** The revision that is missing, or one whose number must become the highest. */
  write?: { type: "create" | "update"; revision: ControllerRevision };
  deletes: ControllerRevision[];
}

const defaultLimit = 10;

/** What the history should be: one revision for each template that was, the one in force with the highest number. */
export function decideRevisions({
  daemonSet,
  revisions,
  hashesInUse,
}: {
  daemonSet: DaemonSet;
  revisions: readonly ControllerRevision[];
  /** Of revisions that pods still run. */
  hashesInUse: ReadonlySet<string>;
}): RevisionsDecision {
  const data = dataOf(daemonSet);
  const highest = Math.max(0, ...revisions.map(({ revision }) => revision));
  const same = revisions.filter((one) => equal(one.data, data)).toSorted((a, b) => b.revision - a.revision);
  const [current, ...doubles] = same;
  if (!current) {
    const made = newRevision(daemonSet, data, highest + 1);
    return { hash: hashOf(made), write: { type: "create", revision: made }, deletes: [] };
  }
  const old = revisions.filter((one) => !same.includes(one));
  const deletes = [...doubles, ...beyondLimit(daemonSet, old, hashesInUse)];
  const isLatest = old.every(({ revision }) => revision < current.revision);
  if (isLatest) return { hash: hashOf(current), deletes };
  return { hash: hashOf(current), write: { type: "update", revision: { ...current, revision: highest + 1 } }, deletes };
}

/** A patch that makes a DaemonSet have this template again: what `kubectl rollout undo` sends. */
function dataOf({ spec }: DaemonSet): object {
  return { spec: { template: { ...spec?.template, $patch: "replace" } } };
}

function newRevision(daemonSet: DaemonSet, data: object, revision: number): ControllerRevision {
  const { name = "", namespace, annotations } = daemonSet.metadata;
  const hash = templateHash(daemonSet.spec?.template, daemonSet.status?.collisionCount);
  return {
    apiVersion: kinds.controllerRevision.apiVersion,
    kind: kinds.controllerRevision.kind,
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...daemonSet.spec?.template.metadata?.labels, [revisionLabel]: hash },
      annotations,
      ownerReferences: [controllerReference(kinds.daemonSet, daemonSet)],
    },
    data,
    revision,
  };
}

export function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

/** The oldest that nobody runs, as far as there are more than wanted. */
function beyondLimit(
  { spec }: DaemonSet,
  old: readonly ControllerRevision[],
  hashesInUse: ReadonlySet<string>,
): ControllerRevision[] {
  const excess = old.length - (spec?.revisionHistoryLimit ?? defaultLimit);
  if (excess <= 0) return [];
  return old
    .toSorted((a, b) => a.revision - b.revision)
    .filter((one) => !hashesInUse.has(hashOf(one)))
    .slice(0, excess);
}
