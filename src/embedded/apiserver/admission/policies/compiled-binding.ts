import {
  fromLabelSelector,
  type LabelSelector,
  type LabelSelectorObject,
} from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type CompiledMatch, compileMatchResources, type MatchResources } from "../match/match-resources.ts";

/** `ValidatingAdmissionPolicyBinding.spec`, defaulted and validated. */
interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly selector?: LabelSelectorObject;
    readonly parameterNotFoundAction?: string;
  };
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}

/** The objects that are a policy's `params`, one at a time. */
export interface ParamRef {
  readonly namespace: string;
  readonly which:
    | { readonly type: "name"; readonly name: string }
    | { readonly type: "selector"; readonly selector: LabelSelector };
  readonly needed: boolean;
}

/** A binding, compiled for matching. */
export interface CompiledBinding {
  readonly name: string;
  readonly policy: string;
  /** Undefined if only the policy's own match applies. */
  readonly match: CompiledMatch | undefined;
  readonly paramRef: ParamRef | undefined;
  readonly denies: boolean;
  readonly warns: boolean;
}

export function compileBinding(binding: KubeObject): CompiledBinding {
  const { policyName = "", paramRef, matchResources, validationActions = [] } = binding.spec as BindingSpec;
  return {
    name: binding.metadata.name ?? "",
    policy: policyName,
    match: matchResources && compileMatchResources(matchResources),
    paramRef: paramRef && {
      namespace: paramRef.namespace ?? "",
      which: paramRef.name
        ? { type: "name", name: paramRef.name }
        : { type: "selector", selector: fromLabelSelector(paramRef.selector) },
      needed: paramRef.parameterNotFoundAction === "Deny",
    },
    denies: validationActions.includes("Deny"),
    warns: validationActions.includes("Warn"),
  };
}
