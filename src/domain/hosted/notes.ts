import type { KubeObject } from "../../language/object/meta.ts";
import { isOrder, orderConfigMap } from "./handover/pool-order.ts";
import { isReport, reportConfigMap } from "./handover/pool-report.ts";
import { isLastGood, lastGoodConfigMap } from "./mirror/last-good.ts";
import { listsMembers, membersConfigMap } from "./mirror/pool-members.ts";
import { bootArgumentsConfigMap, tunedsConfigMap } from "./protocol.ts";
import { isReleased, releasedConfigMap } from "./rollout/released-rendering.ts";

const marks = [isOrder, isReport, isReleased, isLastGood, listsMembers];

/** What the two sides tell each other and remember about a NodePool, beside the contents that both columns have. */
export function isNote(configMap: Pick<KubeObject, "metadata">): boolean {
  return marks.some((is) => is(configMap));
}

/** Names that either side needs for a NodePool, whether or not it has written them yet. */
export function neededNames(nodePool: string): readonly string[] {
  return [
    orderConfigMap(nodePool),
    reportConfigMap(nodePool),
    releasedConfigMap(nodePool),
    lastGoodConfigMap(tunedsConfigMap(nodePool)),
    membersConfigMap(nodePool),
    bootArgumentsConfigMap(nodePool),
  ];
}
