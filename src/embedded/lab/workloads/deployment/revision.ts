import type { KubeObject } from "../../../../language/object/meta.ts";
import { lastAppliedAnnotation } from "../../../../language/patch/last-applied.ts";
import { countIn } from "../object-fields.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** The oldest entries of a longer history are dropped. */
const longestHistory = 2000;

/** The annotations of a Deployment that are not copied to its ReplicaSets. */
const notCopied: ReadonlySet<string> = new Set([
  lastAppliedAnnotation,
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);

/** 0 without the annotation; undefined if it is no number. */
export function revisionOf({ metadata }: KubeObject): number | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  if (text === undefined) return 0;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function highestRevision(replicaSets: readonly ReplicaSet[]): number {
  return Math.max(0, ...replicaSets.map((replicaSet) => revisionOf(replicaSet) ?? 0));
}

/**
 * The annotations of the new ReplicaSet: those of the Deployment, and the revision. Its earlier revision goes into its
 * history, as after a rollback. Returns the same object when nothing changes.
 */
export function revisedAnnotations(
  deployment: Deployment,
  annotations: Readonly<Record<string, string>>,
  revision: number,
): Readonly<Record<string, string>> {
  const revised = new Map(Object.entries(annotations));
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!notCopied.has(key)) revised.set(key, value);
  const before = revised.get(revisionAnnotation);
  const number = before === undefined || before === "" ? 0 : Number(before);
  if (Number.isInteger(number) && number < revision) {
    revised.set(revisionAnnotation, String(revision));
    if (before !== undefined) {
      const history = extended(revised.get(historyAnnotation) ?? "", before);
      if (history !== undefined) revised.set(historyAnnotation, history);
    }
  }
  return sameEntries(revised, annotations) ? annotations : Object.fromEntries(revised);
}

function extended(history: string, revision: string): string | undefined {
  const revisions = history === "" ? [] : history.split(",");
  let length = history === "" ? revision.length : history.length + 1 + revision.length;
  let start = 0;
  while (length > longestHistory && start < revisions.length) length -= revisions[start++]!.length + 1;
  return length > longestHistory ? undefined : [...revisions.slice(start), revision].join(",");
}

function sameEntries(entries: ReadonlyMap<string, string>, object: Readonly<Record<string, string>>): boolean {
  if (entries.size !== Object.keys(object).length) return false;
  for (const [key, value] of entries) if (!Object.hasOwn(object, key) || object[key] !== value) return false;
  return true;
}

/** The size of the Deployment for which a ReplicaSet was last scaled: a change of it is detected by these. */
export function sizeAnnotations(desired: number, most: number): Record<string, string> {
  return { [desiredAnnotation]: String(desired), [maxAnnotation]: String(most) };
}

export function desiredReplicas(replicaSet: ReplicaSet): number | undefined {
  return countIn(replicaSet, desiredAnnotation);
}

export function maxReplicas(replicaSet: ReplicaSet): number | undefined {
  return countIn(replicaSet, maxAnnotation);
}
