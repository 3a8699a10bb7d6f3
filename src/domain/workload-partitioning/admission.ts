import type { KubeObject } from "../../language/object/meta.ts";
import type { FieldErrorReason } from "../../language/schema/field-error.ts";
import type { ReleaseRules } from "./release.ts";
import type { PartitioningView } from "./view.ts";

/** One write that admission decides on. */
export interface Review {
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly object: KubeObject;
  /** As it is stored, for an update. */
  readonly before?: KubeObject | undefined;
  readonly user: { readonly username?: string; readonly groups?: readonly string[] };
  readonly view: PartitioningView;
  readonly release: ReleaseRules;
}

/** The answer, with the rule that gave it: metrics, log and `explain` name it. */
export interface Admission {
  readonly type: "unchanged" | "changed" | "refused";
  /** As it is to be stored. */
  readonly object: KubeObject;
  readonly rule: AdmissionRuleName;
  readonly outcome: Outcome;
  /** For the client. The text of a warning is also in the pod's annotation. */
  readonly warnings: readonly string[];
  /** Why the write is refused; empty if it is not. */
  readonly problems: readonly Problem[];
}

/** `passed`: admission has nothing to do with the object. `stripped`: partitioning instructions were removed. */
export type Outcome = "passed" | "rewritten" | "stripped" | "refused";

export interface Problem {
  readonly code: ProblemCode;
  readonly status: 403 | 404 | 422;
  /** Of a problem with status 422. */
  readonly field?: string;
  readonly reason?: FieldErrorReason;
  /** Without the field. */
  readonly message: string;
}

export type ProblemCode =
  | "unexpected-object"
  | "target-multiple"
  | "target-type-empty"
  | "target-type-unusable"
  | "caches-unsynced"
  | "nodes-empty"
  | "infra-lookup-failed"
  | "infra-status-empty"
  | "infra-unsynced"
  | "namespace-not-found"
  | "namespace-lookup-failed"
  | "namespace-type-not-allowed"
  | "effect-unparsable"
  | "effect-multiple-keys"
  | "effect-missing"
  | "effect-unsupported"
  | "resource-annotation-undecodable"
  | "resource-annotation-extra-keys"
  | "resource-annotation-not-cpushares"
  | "resource-annotation-without-target"
  | "workload-resource-without-target"
  | "resize-adds-cpu"
  | "node-capacity-missing"
  | "node-allocatable-missing"
  | "mixed-namespace-not-allowed"
  | "mixed-not-guaranteed"
  | "mixed-more-than-one";

/** Reasons to remove the instructions and to say so in the pod's warning annotation. */
export type WarningCode =
  | "partitioning-off"
  | "ns-not-annotated"
  | "qos-guaranteed"
  | "qos-would-change"
  | "cpu-limit-and-request"
  | "pod-level-cpu"
  | "node-without-cores"
  | "cpu-out-of-range"
  | "annotations-too-large";

export type AdmissionRuleName =
  | ProblemCode
  | WarningCode
  | "not-reviewed"
  | "static-pod"
  | "instructions-kept"
  | "no-target"
  | "rewritten"
  | "valid"
  | "node-not-checked"
  | "node-has-cores"
  | "no-shared-cpus"
  | "shared-cpus";

export function passed(object: KubeObject, rule: AdmissionRuleName, warnings: readonly string[] = []): Admission {
  return { type: "unchanged", object, rule, outcome: "passed", warnings, problems: [] };
}

/** More than a user reads: a hostile pod could have ten thousand. */
const mostProblems = 100;

/** The first problem gives the rule. */
export function refused(
  object: KubeObject,
  problems: readonly [Problem, ...Problem[]],
  warnings: string[] = [],
): Admission {
  const shown = problems.slice(0, mostProblems);
  return { type: "refused", object, rule: problems[0].code, outcome: "refused", warnings, problems: shown };
}
