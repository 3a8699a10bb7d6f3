import { kinds } from "../../../../cluster/kube/kinds.ts";
import { byRevision, sameData, type Revised } from "../revisions/controller-revision.ts";
import type { ControllerRevision, DaemonSet } from "../workload-objects.ts";
import { revisionLabel } from "./daemon-pod.ts";

export const revised: Revised = { kind: kinds.daemonSet, hashLabel: revisionLabel };

/** Also the label of pods that run it. */
export function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

/** Other revisions of the current template, and the oldest that no pod runs, as far as there are more than wanted. */
export function superfluous(
  { spec }: DaemonSet,
  current: ControllerRevision,
  revisions: readonly ControllerRevision[],
  hashesInUse: ReadonlySet<string>,
): ControllerRevision[] {
  const others = revisions.filter(({ metadata }) => metadata.name !== current.metadata.name);
  const doubles = others.filter((one) => sameData(one, current));
  const old = others.filter((one) => !sameData(one, current)).toSorted(byRevision);
  const excess = Math.max(0, old.length - (spec?.revisionHistoryLimit ?? 10));
  return [...doubles, ...old.filter((one) => !hashesInUse.has(hashOf(one))).slice(0, excess)];
}
