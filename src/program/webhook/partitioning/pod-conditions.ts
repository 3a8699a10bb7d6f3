import { firstBootNamespace } from "../../../domain/rollout/first-boot/invitation.ts";
import { coresSuffix, mixedCpus, resourcesPrefix, targetPrefix } from "../../../domain/workload-partitioning/names.ts";
import type { MatchCondition, WebhookEntry } from "../handler.ts";

const requests = (condition: string): string => `c.?resources.?requests.orValue({}).exists(r, ${condition})`;
/** kube-apiserver evaluates a pod without containers, which it has not refused yet, as one whose list is null. */
const listed = (field: string): string => `optional.ofNonZeroValue(object.spec.?${field}.orValue([])).orValue([])`;
const annotations = (of: string): string => `${of}.metadata.?annotations.orValue({})`;
const isOneOf = (...prefixes: string[]): string => prefixes.map((prefix) => `a.startsWith('${prefix}')`).join(" || ");
const isInstruction = isOneOf(targetPrefix, resourcesPrefix);
const isSharedCpus = isOneOf(mixedCpus.runtimePrefix);

/** Whether a pod has to do with workload partitioning. API servers send no other pod. */
export const asksForPartitioning: MatchCondition = {
  name: "asks-for-partitioning",
  expression: [
    `${annotations("object")}.exists(a, ${isInstruction})`,
    ...["containers", "initContainers"].map(
      (field) => `${listed(field)}.exists(c, ${requests(`r.endsWith('${coresSuffix}')`)})`,
    ),
  ].join(" || "),
};

/** Whether a container of a pod with exclusive CPUs is to use the shared ones as well, also by an annotation that it came with. */
export const asksForSharedCpus: MatchCondition = {
  name: "asks-for-shared-cpus",
  expression: [
    `${annotations("object")}.exists(a, ${isSharedCpus})`,
    `${listed("containers")}.exists(c, ${requests(`r == '${mixedCpus.resource}'`)})`,
  ].join(" || "),
};

/** Whether the object has annotations that CRI-O reads. */
export const hasInstructions = `${annotations("object")}.exists(a, ${isInstruction} || ${isSharedCpus})`;

const differsIn = (one: string, other: string): string =>
  `${annotations(one)}.exists(a, (${isInstruction} || ${isSharedCpus}) && ${annotations(other)}[?a] != ${annotations(one)}[?a])`;

/** Whether an update gives a pod instructions, changes or removes them. */
export const changesInstructions: MatchCondition = {
  name: "changes-instructions",
  expression: `${differsIn("object", "oldObject")} || ${differsIn("oldObject", "object")}`,
};

/** Whether a node lacks the resource. The others, which are most, have nothing to be reviewed. */
export const lacksCores: MatchCondition = {
  name: "lacks-cores",
  expression: ["capacity", "allocatable"]
    .map((list) => `!object.?status.?${list}.orValue({}).exists(r, r.contains('${coresSuffix}'))`)
    .join(" || "),
};

/**
 * The pods of the platform must start while the webhook does not answer, or a cluster could not start that the webhook is
 * part of. The operator reports those that were admitted without a review.
 */
export function podEntries(asks: MatchCondition, namespace: string): WebhookEntry[] {
  const own = [namespace, firstBootNamespace].map((name) => `request.namespace == '${name}'`);
  const prefixes = ["kube-", "openshift-"].map((prefix) => `request.namespace.startsWith('${prefix}')`);
  const isPlatform = [...prefixes, ...own].join(" || ");
  return [
    { failurePolicy: "Fail", matchConditions: [asks, { name: "users", expression: `!(${isPlatform})` }] },
    {
      suffix: "-platform",
      failurePolicy: "Ignore",
      matchConditions: [{ name: "platform", expression: isPlatform }, asks],
    },
  ];
}
