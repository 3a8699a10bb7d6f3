import { equal } from "../../../../language/object/json.ts";
import type { Node } from "../workload-objects.ts";
import type { Obstacle } from "./finding.ts";

const everything: readonly Obstacle[] = [
  "unschedulable",
  "name",
  "taints",
  "node affinity",
  "ports",
  "resources",
  "spread",
  "pod affinity",
];

/** Which obstacles a change of a node may remove. Its heartbeats remove none. */
export function helpedByNode(before: Node | undefined, after: Node | undefined): readonly Obstacle[] {
  if (!before) return everything;
  if (!after) return ["spread"];
  const helped = new Set<Obstacle>();
  if (!equal(before.metadata.labels, after.metadata.labels))
    for (const obstacle of ["node affinity", "spread", "pod affinity"] as const) helped.add(obstacle);
  if (!equal(before.spec?.taints, after.spec?.taints))
    for (const obstacle of ["taints", "spread"] as const) helped.add(obstacle);
  if (before.spec?.unschedulable !== after.spec?.unschedulable) helped.add("unschedulable");
  if (!equal(before.status?.allocatable, after.status?.allocatable)) helped.add("resources");
  return [...helped];
}

/** A pod came to a node: some wait for company. */
export const helpedByArrival: readonly Obstacle[] = ["pod affinity", "spread"];
/** A pod left a node: it leaves room, ports and its likes and dislikes. */
export const helpedByLeaving: readonly Obstacle[] = ["resources", "ports", "pod affinity", "spread"];
