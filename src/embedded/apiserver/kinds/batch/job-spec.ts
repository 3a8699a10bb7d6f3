import type { JobSpec as TypedSpec } from "kubernetes-types/batch/v1.js";

/** Fields younger than the package that types objects. */
export type JobSpec = TypedSpec & {
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  podReplacementPolicy?: string;
  managedBy?: string;
  successPolicy?: { rules?: { succeededIndexes?: string; succeededCount?: number }[] };
};
