import type { KubeObject } from "../../../../language/object/meta.ts";
import { compileAbout, type Outcome } from "../expressions/environment.ts";
import {
  type CompiledCondition,
  compileMatchConditions,
  type MatchCondition,
} from "../expressions/match-conditions.ts";
import { type Variable, VariableTypes } from "../expressions/variable-types.ts";
import { type CompiledMatch, compileMatchResources, type MatchResources } from "../match/match-resources.ts";

/** `ValidatingAdmissionPolicy.spec`, defaulted and validated. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly failurePolicy?: string;
  readonly variables?: readonly Variable[];
  readonly validations?: readonly {
    readonly expression: string;
    readonly message?: string;
    readonly messageExpression?: string;
    readonly reason?: string;
  }[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

/** An expression and the outcome of its compilation. */
export interface CompiledExpression {
  readonly source: string;
  readonly compiled: Outcome;
}

export interface CompiledValidation extends CompiledExpression {
  readonly message: string;
  readonly messageExpression: CompiledExpression | undefined;
  readonly reason: string;
}

export interface CompiledVariable extends CompiledExpression {
  readonly name: string;
}

/** A policy, compiled for evaluation. */
export interface CompiledPolicy {
  readonly name: string;
  readonly match: CompiledMatch;
  readonly conditions: readonly CompiledCondition[];
  readonly failsOpen: boolean;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly variables: readonly CompiledVariable[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledExpression[];
}

export function compilePolicy(policy: KubeObject): CompiledPolicy {
  const spec = policy.spec as PolicySpec;
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = spec;
  const types = new VariableTypes({ params: paramKind !== undefined });
  const compiledVariables = variables.map((variable) => ({
    name: variable.name,
    source: variable.expression,
    compiled: types.add(variable),
  }));
  const { environment } = types;
  return {
    name: policy.metadata.name ?? "",
    match: compileMatchResources(spec.matchConstraints ?? {}),
    conditions: compileMatchConditions(spec.matchConditions, environment),
    failsOpen: spec.failurePolicy === "Ignore",
    paramKind: paramKind && { apiVersion: paramKind.apiVersion ?? "", kind: paramKind.kind ?? "" },
    variables: compiledVariables,
    validations: validations.map(({ expression, message = "", messageExpression, reason = "Invalid" }) => ({
      source: expression,
      compiled: compileAbout(expression, environment, "bool"),
      message: message.trim(),
      messageExpression: messageExpression
        ? {
            source: messageExpression,
            compiled: compileAbout(messageExpression, { ...environment, authorizer: false }, "string"),
          }
        : undefined,
      reason,
    })),
    annotations: auditAnnotations.map(({ valueExpression }) => ({
      source: valueExpression,
      compiled: compileAbout(valueExpression, environment, "string or null"),
    })),
  };
}
