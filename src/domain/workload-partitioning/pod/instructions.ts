import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type Admission, passed, type Review } from "../admission.ts";
import { mixedCpus, resourcesPrefix, targetPrefix } from "../names.ts";
import { annotationsOf, withAnnotations, withoutAnnotations } from "./pod.ts";
import { keptWarning } from "./texts.ts";

const isInstruction = (key: string): boolean => key.startsWith(resourcesPrefix) || key.startsWith(targetPrefix);
const isForCrio = (key: string): boolean => isInstruction(key) || key.startsWith(mixedCpus.runtimePrefix);

export function withoutInstructions(pod: KubeObject): KubeObject {
  return withoutAnnotations(pod, isInstruction);
}

/**
 * A pod is judged when it is created. CRI-O reads its annotations later, and again when the node has restarted: a user could
 * choose CPUs by an update. It is not refused, since `kubectl apply` of the same manifest adds again what was removed.
 */
export function keepInstructions({ object, before, operation, subresource, release }: Review): Admission {
  if (operation !== "UPDATE" || subresource !== "" || !before || release.instructions === "free")
    return passed(object, "not-reviewed");
  const given = Object.fromEntries(Object.entries(annotationsOf(before)).filter(([key]) => isForCrio(key)));
  const others = annotationsOf(withoutAnnotations(object, isForCrio));
  const kept = { ...others, ...given };
  if (equal(kept, annotationsOf(object))) return passed(object, "instructions-kept");
  return {
    type: "changed",
    object: withAnnotations(object, kept),
    rule: "instructions-kept",
    outcome: "stripped",
    warnings: [keptWarning],
    problems: [],
  };
}
