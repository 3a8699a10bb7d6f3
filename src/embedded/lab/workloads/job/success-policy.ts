import type { Job } from "../workload-objects.ts";
import { Indexes } from "./indexes.ts";

interface Rule {
  succeededIndexes?: string;
  succeededCount?: number;
}

/** Why the Job has succeeded though not every index has, or undefined. */
export function judgeSuccess({ spec }: Job, succeeded: Indexes): string | undefined {
  const rules: readonly Rule[] = spec?.successPolicy?.rules ?? [];
  if (succeeded.total === 0) return undefined;
  const met = rules.findIndex((rule) => isMet(rule, succeeded, spec?.completions ?? 0));
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}

function isMet({ succeededIndexes, succeededCount }: Rule, succeeded: Indexes, completions: number): boolean {
  if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.total >= succeededCount;
  const named = Indexes.parse(succeededIndexes, completions);
  if (named.total === 0) return false;
  const common = named.common(succeeded);
  return common === named.total || (succeededCount !== undefined && common >= succeededCount);
}
