import { type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import { equal } from "../../../language/object/json.ts";
import type { Tuned } from "../../node-tuning/api.ts";
import { type ConfigMap, formatProblem } from "../envelope/read-manifests.ts";
import type { Mirrored, MirrorProblem } from "./read-tuneds.ts";

/** Of the event about a Tuned that a user of the hosted cluster changed: its ConfigMap decides. */
export const revertedReason = "EditReverted";

/** The Tuneds that the hosted cluster must have, and those that it has. */
export interface MirroredTuneds {
  readonly wanted: ReadonlyMap<string, Mirrored>;
  readonly observed: readonly Tuned[];
}

/** Events about problems that the decision before did not have. */
export function newProblems(
  configMap: (name: string) => ConfigMap | undefined,
): (problems: readonly MirrorProblem[]) => PlannedEvent[] {
  let known = new Set<string>();
  return (problems) => {
    const texts = new Map(problems.map((problem) => [formatProblem(problem), problem.configMap]));
    const before = known;
    known = new Set(texts.keys());
    return [...texts].flatMap(([message, name]): PlannedEvent[] => {
      const found = configMap(name);
      if (!found || before.has(message)) return [];
      return [{ regarding: referenceTo(found), type: "Warning", reason: "InvalidTuned", message }];
    });
  };
}

/**
 * Events about Tuneds that were as their ConfigMaps have them and are not any more. A cache that does not have the last write
 * yet shows an older generation, and a ConfigMap that changed wants another text: neither is an edit.
 */
export function revertedEdits(
  configMap: (name: string) => ConfigMap | undefined,
): (mirrored: MirroredTuneds) => PlannedEvent[] {
  let known = new Map<string, Tuned>();
  return ({ wanted, observed }) => {
    const found = new Map(observed.map((tuned) => [tuned.metadata.name ?? "", tuned]));
    const before = known;
    known = new Map();
    const events: PlannedEvent[] = [];
    for (const [name, { tuned, nodePool, from }] of wanted) {
      const [now, last] = [found.get(name), before.get(name)];
      const source = configMap(from);
      if (equal(now?.spec, tuned.spec)) known.set(name, now ?? tuned);
      else if (source && last && equal(last.spec, tuned.spec) && isLater(now, last)) {
        const what = now ? "edited" : "deleted";
        const message = `Tuned ${name} of NodePool ${nodePool} was ${what} in the hosted cluster and is set back: this ConfigMap decides`;
        events.push({ regarding: referenceTo(source), type: "Warning", reason: revertedReason, message });
      } else if (last) known.set(name, last);
    }
    return events;
  };
}

function isLater(now: Tuned | undefined, last: Tuned): boolean {
  return now === undefined || (now.metadata.generation ?? 0) > (last.metadata.generation ?? 0);
}

/** The Tuned that such an event is about. */
export function revertedTuned(message: string): string | undefined {
  return /(?:^|: )Tuned (\S+) of NodePool /.exec(message)?.[1];
}
