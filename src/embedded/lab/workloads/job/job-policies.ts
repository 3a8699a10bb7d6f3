import type { PodFailurePolicyOnExitCodesRequirement } from "kubernetes-types/batch/v1.js";
import type { ContainerStatus } from "kubernetes-types/core/v1.js";
import type { Job, Pod } from "../workload-objects.ts";
import { Indexes } from "./indexes.ts";

export type FailureVerdict =
  | { type: "count" }
  | { type: "ignore" }
  | { type: "fail index" }
  | { type: "fail job"; message: string };

/** The action of the first rule of the pod failure policy that matches. */
export function judgeFailure({ spec }: Job, pod: Pod): FailureVerdict {
  const rules = spec?.podFailurePolicy?.rules ?? [];
  for (const [position, { action, onExitCodes, onPodConditions }] of rules.entries()) {
    const found = onExitCodes ? exited(pod, onExitCodes) : conditioned(pod, onPodConditions ?? []);
    if (found === undefined) continue;
    if (action === "Ignore") return { type: "ignore" };
    if (action === "FailIndex") return { type: "fail index" };
    if (action === "Count") return { type: "count" };
    if (action === "FailJob")
      return { type: "fail job", message: `${found} matching ${action} rule at index ${position}` };
  }
  return { type: "count" };
}

function exited({ metadata, status }: Pod, requirement: PodFailurePolicyOnExitCodesRequirement): string | undefined {
  const { containerName, operator, values } = requirement;
  const fits = ({ name, state }: ContainerStatus): boolean => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return operator === "In" ? values.includes(code) : operator === "NotIn" && !values.includes(code);
  };
  const found = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(fits);
  if (!found) return undefined;
  const { namespace, name } = metadata;
  return `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.state?.terminated?.exitCode}`;
}

function conditioned(
  { metadata, status }: Pod,
  patterns: readonly { type: string; status?: string }[],
): string | undefined {
  const found = (status?.conditions ?? []).find((condition) =>
    patterns.some((pattern) => pattern.type === condition.type && (pattern.status ?? "True") === condition.status),
  );
  return found && `Pod ${metadata.namespace}/${metadata.name} has condition ${found.type}`;
}

interface SuccessRule {
  succeededIndexes?: string;
  succeededCount?: number;
}

/** The message if the success policy is met; undefined otherwise. */
export function judgeSuccess({ spec }: Job, succeeded: Indexes): string | undefined {
  const rules: readonly SuccessRule[] = spec?.successPolicy?.rules ?? [];
  if (succeeded.total === 0) return undefined;
  const met = rules.findIndex((rule) => isMet(rule, succeeded, spec?.completions ?? 0));
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}

function isMet({ succeededIndexes, succeededCount }: SuccessRule, succeeded: Indexes, completions: number): boolean {
  if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.total >= succeededCount;
  const named = Indexes.parse(succeededIndexes, completions);
  if (named.total === 0) return false;
  const common = named.common(succeeded);
  return common === named.total || (succeededCount !== undefined && common >= succeededCount);
}
