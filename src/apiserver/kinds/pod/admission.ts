import type { PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../object/meta.ts";
import { forbidden } from "../../status-error.ts";

const tolerated = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const;

/** A pod outlives five minutes of its node's silence, unless it says otherwise. */
export function addDefaultTolerations(spec: PodSpec): void {
  for (const key of tolerated) {
    if ((spec.tolerations ?? []).some((toleration) => covers(toleration, key))) continue;
    (spec.tolerations ??= []).push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
}

function covers({ key, effect }: Toleration, taint: string): boolean {
  return (key === taint || !key) && (effect === "NoExecute" || !effect);
}

/** What was decided when the pod was created holds for a manifest that says nothing of it. */
export function keepPriority(spec: PodSpec, old: PodSpec): void {
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.preemptionPolicy;
}

/** Priority classes every cluster has. */
const systemClasses: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** The name of a class decides the number; a number of the user's own must agree with it. */
export function resolvePriority(object: KubeObject, spec: PodSpec): void {
  const name = spec.priorityClassName ?? "";
  const priority = name === "" ? 0 : Object.hasOwn(systemClasses, name) ? systemClasses[name] : undefined;
  const refuse = (why: string) => forbidden("", "pods", object.metadata.name ?? "", why);
  if (priority === undefined) throw refuse(`no PriorityClass with name ${name} was found`);
  if (spec.priority !== undefined && spec.priority !== priority)
    throw refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  spec.priority = priority;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
}
