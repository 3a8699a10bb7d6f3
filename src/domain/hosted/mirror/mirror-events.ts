import { type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import { type ConfigMap, formatProblem } from "../envelope/read-manifests.ts";
import type { MirrorProblem } from "./read-tuneds.ts";

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
