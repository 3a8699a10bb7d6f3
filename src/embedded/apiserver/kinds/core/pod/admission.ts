import type { PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import type { PriorityClass } from "kubernetes-types/scheduling/v1.js";
import type { Lookup } from "../../../resource.ts";
import { forbidden } from "../../../status-error.ts";
import { systemPriorities } from "../../priority-class.ts";

const tolerated = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const;

/** As the admission plugin DefaultTolerationSeconds: a pod stays for five minutes on a node that is not ready. */
export function addDefaultTolerations(spec: PodSpec): void {
  for (const key of tolerated) {
    if ((spec.tolerations ?? []).some((toleration) => covers(toleration, key))) continue;
    (spec.tolerations ??= []).push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
}

function covers({ key, effect }: Toleration, taint: string): boolean {
  return (key === taint || !key) && (effect === "NoExecute" || !effect);
}

/** An update without priority and preemptionPolicy keeps those that admission set on create. */
export function keepPriority(spec: PodSpec, old: PodSpec): void {
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.preemptionPolicy;
}

/** As the admission plugin Priority: the class sets the priority; a priority in the request must equal it. */
export function resolvePriority(object: KubeObject, spec: PodSpec, objects: Lookup): void {
  const chosen = spec.priorityClassName ? classNamed(spec.priorityClassName, objects) : defaultClass(objects);
  if (chosen && !spec.priorityClassName) spec.priorityClassName = chosen.name;
  const name = spec.priorityClassName ?? "";
  const priority = chosen?.value ?? (name === "" ? 0 : undefined);
  const refuse = (why: string) => forbidden("", "pods", object.metadata.name ?? "", why);
  if (priority === undefined) throw refuse(`no PriorityClass with name ${name} was found`);
  if (spec.priority !== undefined && spec.priority !== priority)
    throw refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  spec.priority = priority;
  const policy = chosen?.preemptionPolicy ?? "PreemptLowerPriority";
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  spec.preemptionPolicy = policy;
}

const classes = "priorityclasses.scheduling.k8s.io";

interface Chosen {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy?: string;
}

/** The two system classes are known even before they are stored. */
function classNamed(name: string, objects: Lookup): Chosen | undefined {
  const found = objects.head(classes, name);
  if (found) return chosenOf(found);
  return Object.hasOwn(systemPriorities, name) ? { name, value: systemPriorities[name] as number } : undefined;
}

/** Of several global defaults, the one with the lowest value. */
function defaultClass(objects: Lookup): Chosen | undefined {
  return objects
    .list(classes)
    .filter(({ globalDefault }) => globalDefault === true)
    .map(chosenOf)
    .toSorted((a, b) => a.value - b.value)[0];
}

const chosenOf = (object: KubeObject): Chosen => {
  const { value, preemptionPolicy } = object as KubeObject & PriorityClass;
  return { name: object.metadata.name ?? "", value, ...(preemptionPolicy ? { preemptionPolicy } : {}) };
};
